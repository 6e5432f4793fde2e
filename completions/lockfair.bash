# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Completion of lockfair(1) for bash. What there is, the program itself is asked:
# commands and options by --help, backends and scenarios by `lockfair list`.

# Names in the first column of a table.
_lockfair_names()
{
	"$_lockfair" list "$@" 2>/dev/null | awk 'NR > 1 && NF { print $1 }'
}

_lockfair_commands()
{
	"$_lockfair" --help 2>/dev/null | awk '/^  [a-z]/ { print $1 }'
}

# The long options of a command, with "=" after those that take a value.
_lockfair_options()
{
	"$_lockfair" "$1" --help 2>/dev/null |
		grep -oE -- '--[a-z][a-z-]*(\[?=)?' | sed 's/\[=$//' | sort -u
}

_lockfair_values()
{
	case $1 in
	--engine) echo threads sim all ;;
	--budget) echo quick normal long ;;
	--inconclusive) echo block warn ;;
	--format | -f) echo text html markdown github tap junit ;;
	--suite) _lockfair_names suites; echo all ;;
	--scenario | --require | -s) _lockfair_names scenarios ;;
	--machine) "$_lockfair" machines 2>/dev/null | awk 'NR > 1 && NF { print $1 } !NF { exit }' ;;
	--backend | -b | --base | --head) _lockfair_names backends ;;
	*) return 1 ;;
	esac
}

_lockfair()
{
	local _lockfair=${COMP_WORDS[0]} command=${COMP_WORDS[1]-}
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} values
	COMPREPLY=()

	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W \
			"$(_lockfair_commands) --help --version" -- "$current")
		return
	fi
	# bash takes --engine=sim for three words.
	[ "$current" != = ] || current=
	[ "$previous" != = ] || previous=${COMP_WORDS[COMP_CWORD - 2]}
	if [[ ${COMP_WORDS[COMP_CWORD]} = = ]]; then
		previous=${COMP_WORDS[COMP_CWORD - 1]}
	fi
	if [[ $previous = -* ]] && values=$(_lockfair_values "$previous"); then
		mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
		return
	fi
	if [[ $current = -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_lockfair_options "$command")" \
			-- "$current")
		[[ ${COMPREPLY[*]-} != *= ]] || compopt -o nospace 2>/dev/null
		return
	fi
	# Files: plug-ins, records, and whatever an option wants.
	mapfile -t COMPREPLY < <(compgen -f -- "$current")
	case $command in
	run) values=$(_lockfair_names backends) ;;
	list) values="backends scenarios suites metrics" ;;
	machines) values=$(_lockfair_values --machine) ;;
	*) return ;;
	esac
	[[ $previous = -* ]] ||
		mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$values" -- "$current")
}

complete -o filenames -F _lockfair lockfair
