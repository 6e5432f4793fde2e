#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Completion on the command line, as bash and zsh ask for it.
#
# LOCKFAIR: the program (default ./lockfair).

# shellcheck source-path=SCRIPTDIR source=common.sh
. "${srcdir:-.}/suites/cli/common.sh"
PATH=$(dirname "$lockfair"):$PATH
export PATH
: >some.jsonl
echo : >plugin.so

# What completes the last of the words, one a line; "=" is a word of its own to bash.
in_bash()
{
	bash -c '
		source "$1"
		shift
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		_lockfair
		printf "%s\n" "${COMPREPLY[@]}"' bash "$top/completions/lockfair.bash" "$@"
}

# The same; zsh is told what is there to add, and prints it.
in_zsh()
{
	zsh -f -c '
		compadd() {
			local -a options
			zparseopts -D -E -a options S: P: -- 
			[[ $1 = -- ]] && shift
			print -l -- "$@"
		}
		compset() { : }
		_files() { print -l -- *(N) }
		file=$1
		shift
		words=("$@")
		CURRENT=$#
		source $file' zsh "$top/completions/_lockfair" "$@"
}

# offers SHELL NAME WANTED WORD…: a line of what is offered
offers()
{
	shell=$1
	name=$2
	wanted=$3
	shift 3
	if ! command -v "$shell" >/dev/null; then
		skip "$shell: $name" "no $shell"
		return
	fi
	"in_$shell" "$@" >out 2>err
	grep -qxF -- "$wanted" out && [ ! -s err ]
	point $? "$shell: $name"
}

for shell in bash zsh; do
	offers $shell "commands" merge lockfair ""
	offers $shell "commands, begun" report lockfair rep
	offers $shell "options" --expectations= lockfair run --
	offers $shell "options without a value" --no-controls lockfair run --no
	offers $shell "options of another command" --output= lockfair report --o
	offers $shell "engines" threads lockfair run --engine ""
	offers $shell "scenarios" barging lockfair run -s ""
	offers $shell "suites" core lockfair run --suite ""
	offers $shell "machine models" smp4 lockfair run --machine ""
	offers $shell "budgets" normal lockfair run --budget ""
	offers $shell "backends" ticket lockfair run ""
	offers $shell "backends, the faulty ones, too" faulty/lifo lockfair run faulty/
	offers $shell "plug-ins" plugin.so lockfair run pl
	offers $shell "records" some.jsonl lockfair report so
	offers $shell "formats" html lockfair report -f ""
	offers $shell "tables" suites lockfair list ""
done
offers bash "a value after =" sim lockfair run --engine = s
offers bash "a value right after =" sim lockfair run --engine =
offers zsh "a value after =" sim lockfair run --engine=s

end_of_test
