#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The templates for CI, from a prefix of their own: a change that breaks a lock turns
# red with a report, one that does not stays green, and what the YAML says is what its
# service reads.
#
# LOCKFAIR: the program (default ./lockfair).

# shellcheck source-path=SCRIPTDIR source=common.sh
. "${srcdir:-.}/suites/cli/common.sh"

# --- A prefix, and a lock with a history ---------------------------------------------

mkdir -p prefix/bin prefix/share/lockfair/ci
cp "$lockfair" prefix/bin/lockfair
cp "$top"/ci/templates/*.sh prefix/share/lockfair/ci
PATH=$work/prefix/bin:$PATH
templates=$work/prefix/share/lockfair/ci
export PATH
unset GITHUB_ACTIONS GITHUB_BASE_REF CI_MERGE_REQUEST_DIFF_BASE_SHA LOCKFAIR_BASE \
	LOCKFAIR_PLUGIN LOCKFAIR_NEW
GIT_CONFIG_GLOBAL=/dev/null
GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@example.org
GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@example.org
export GIT_CONFIG_GLOBAL GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME \
	GIT_COMMITTER_EMAIL

# gate BRANCH OPTION…: checks the branch out and gates it against main
gate()
{
	git -C repository checkout --quiet "$1" || exit 99
	shift
	rm -rf repository/lockfair-out
	(
		cd repository || exit 99
		LOCKFAIR_BUILD="sh build.sh" LOCKFAIR_PLUGIN=${LOCKFAIR_PLUGIN-my-lock.so} \
			LOCKFAIR_BASE=${LOCKFAIR_BASE-main} \
			LOCKFAIR_GATE="--layers=a --engine=threads $*" sh "$templates/gate.sh"
	) >out 2>err </dev/null
	status=$?
	cat err >>out
}

commit()
{
	git -C repository add . && git -C repository commit --quiet -m "$1" || exit 99
}

if ! command -v git >/dev/null || ! command -v cc >/dev/null; then
	skip "gate.sh" "no git or no compiler"
elif ! "$lockfair" gate --help >out 2>&1; then
	skip "gate.sh" "this lockfair has no gate"
else
	git init --quiet --initial-branch=main repository
	echo lockfair-out >repository/.gitignore
	commit "before the lock"
	cp "$top/examples/my-lock/my-lock.c" repository
	echo "exec cc -std=c17 -D_GNU_SOURCE -O2 -fPIC -shared -pthread \
-I'$top/framework' -o my-lock.so my-lock.c" >repository/build.sh
	echo '*.so' >>repository/.gitignore
	commit "a lock"
	git -C repository checkout --quiet -b better
	echo '/* A word more. */' >>repository/my-lock.c
	commit "said better"
	git -C repository checkout --quiet -b worse main
	sed -i '1i #define BREAK_LIFO' repository/my-lock.c
	commit "newest first"
	git -C repository checkout --quiet -b broken main
	echo 'this is no C' >>repository/my-lock.c
	commit "half a thought"

	gate worse
	exits 1 "a change that breaks the claim"
	says out "builds " "a change that breaks the claim"
	[ -s repository/lockfair-out/gate.jsonl ] && [ -s repository/lockfair-out/junit.xml ] &&
		grep -q '## lockfair: FAIL' repository/lockfair-out/summary.md &&
		tail -n 1 repository/lockfair-out/report.html | grep -q '</html>'
	point $? "a change that breaks the claim: records and reports"
	GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=$work/summary
	export GITHUB_ACTIONS GITHUB_STEP_SUMMARY
	gate worse
	unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY
	grep -q '^::error title=' out && grep -q '## lockfair: FAIL' summary
	point $? "in GitHub Actions: annotations, and a summary"
	gate better
	[ "$status" -eq 0 ] || [ "$status" -eq 77 ]
	point $? "one that does not (was $status)"
	gate broken
	exits 2 "one that does not build"
	LOCKFAIR_BASE=main~1 gate main
	[ "$status" -eq 0 ] || [ "$status" -eq 77 ]
	point $? "a lock that is new (was $status)"
	says out "judged by its claims alone" "a lock that is new"
	# Base has the lock, and does not build.
	git -C repository checkout --quiet -b mended broken
	sed -i '/this is no C/d' repository/my-lock.c
	commit "mended"
	LOCKFAIR_BASE=broken gate mended
	exits 99 "a base that does not build"
	says out "base does not build" "a base that does not build"
	says out "see lockfair-out/base-build.log" "a base that does not build"
	[ -s repository/lockfair-out/base-build.log ]
	point $? "a base that does not build: the log is there"
	export LOCKFAIR_NEW=yes
	LOCKFAIR_BASE=broken gate mended
	unset LOCKFAIR_NEW
	[ "$status" -eq 0 ] || [ "$status" -eq 77 ]
	point $? "a base that does not build, and LOCKFAIR_NEW=yes (was $status)"
	says out "as LOCKFAIR_NEW says" "a base that does not build, and LOCKFAIR_NEW=yes"
	git -C repository checkout --quiet -b moved broken
	git -C repository mv my-lock.c other.c
	sed -i '/this is no C/d' repository/other.c
	sed -i 's/my-lock/other/g' repository/build.sh
	commit "moved and mended"
	LOCKFAIR_PLUGIN=other.so
	export LOCKFAIR_PLUGIN
	LOCKFAIR_BASE=broken gate moved
	unset LOCKFAIR_PLUGIN
	exits 99 "a lock with a new name is no new lock"
	LOCKFAIR_BASE=nowhere gate better
	exits 2 "a base that is not here"
	says out "fetch-depth: 0" "a base that is not here"
	[ "$(git -C repository worktree list | wc -l)" -eq 1 ]
	point $? "no worktree stays behind"
fi

# --- One run on many machines -------------------------------------------------------

if command -v parallel >/dev/null && ! command -v sbatch >/dev/null; then
	LOCKFAIR_OUT=long sh "$templates/cluster.sh" 3 ticket mcs --engine sim -s order \
		-s "drain/[12]" >out 2>err
	status=$?
	exits 0 "cluster.sh"
	"$lockfair" run ticket mcs --engine sim -s order -s "drain/[12]" --record whole \
		>out 2>err
	[ "$(wc -l <long/all.jsonl)" = "$(wc -l <whole)" ] && [ -s long/report.html ]
	point $? "cluster.sh: all cells, and a report"

	# The folder has the records of another run: every part refuses.
	LOCKFAIR_OUT=long sh "$templates/cluster.sh" 3 ticket --engine sim -s order >out 2>err
	status=$?
	exits 2 "cluster.sh in the folder of another run"
	says err "part 1 of 3 ended with 2: the command is wrong, or long has another" \
		"cluster.sh in the folder of another run"
	[ ! -e long/all.jsonl ] && [ ! -e long/report.html ]
	point $? "cluster.sh in the folder of another run: nothing is put together"

	# A verdict is none of the script's business, and a part that is gone is.
	mkdir gone
	# shellcheck disable=SC2016 # for the script
	printf '%s\n' '#!/bin/sh' 'case "$*" in *"shard=2/2"*) kill -9 $PPID; exit 1 ;; esac' \
		"exec '$lockfair' \"\$@\"" >gone/lockfair
	chmod +x gone/lockfair
	PATH=$work/gone:$PATH LOCKFAIR_OUT=half sh "$templates/cluster.sh" 2 ticket \
		--engine sim -s order -s "drain/[12]" >out 2>err
	status=$?
	exits 99 "cluster.sh: a part that is killed"
	says err "part 2 of 2 ended with none: it did not come to its end" \
		"cluster.sh: a part that is killed"
	LOCKFAIR_OUT=half sh "$templates/cluster.sh" 2 ticket --engine sim -s order \
		-s "drain/[12]" >out 2>err
	status=$?
	exits 0 "cluster.sh, started again"
else
	skip "cluster.sh" "no GNU parallel"
fi

# --- YAML ---------------------------------------------------------------------------

cat >yaml.py <<'END'
"""Do the YAML files have the form that their services document? Schemas of our own, of
the keys that are used; an unknown key is an error."""
import sys
import jsonschema
import yaml

top = sys.argv[1] + "/ci/templates/"
text = {"type": "string"}
texts = {"type": "object", "additionalProperties": {"type": ["string", "integer", "boolean"]}}
def form(required="", **properties):
    return {"type": "object", "additionalProperties": False, "properties": properties,
            "required": required.split()}
step = {"oneOf": [
    form("run", name=text, id=text, run=text, shell=text, env=texts, **{"if": text}),
    form("uses", name=text, id=text, uses={"type": "string", "pattern": r"@v\d|^\./"},
         **{"with": texts, "if": text})]}
composite = {"allOf": [step, {"if": {"required": ["run"]}, "then": {"required": ["shell"]}}]}
named = lambda of: {"type": "object", "additionalProperties": of, "minProperties": 1}
action = form("name description runs", name=text, description=text,
    inputs=named(form("description", description=text, required={"type": "boolean"},
                      default=text)),
    outputs=named(form("description value", description=text, value=text)),
    runs=form("using steps", using={"const": "composite"},
              steps={"type": "array", "items": composite, "minItems": 1}))
workflow = form("on jobs", name=text, on={"enum": ["push", "pull_request"]},
    permissions=named({"enum": ["read", "write", "none"]}),
    jobs=named({"type": "object", "additionalProperties": False,
        "required": ["runs-on", "steps"], "properties": {
            "runs-on": text, "timeout-minutes": {"type": "integer"}, "env": texts,
            "strategy": {"type": "object", "required": ["matrix"], "properties": {
                "matrix": named({"type": "array", "minItems": 1}),
                "fail-fast": {"type": "boolean"}}},
            "steps": {"type": "array", "items": step, "minItems": 1}}}))
gitlab = named(form("script", stage=text, variables=texts, extends=text,
    rules={"type": "array", "items": form("if", **{"if": text})},
    script={"type": "array", "items": text, "minItems": 1},
    allow_failure=form("exit_codes", exit_codes={"type": "array",
                                                "items": {"type": "integer"}}),
    artifacts=form("paths", when={"enum": ["always", "on_failure", "on_success"]},
        expire_in=text, paths={"type": "array", "items": text},
        reports=form("junit", junit=text))))

def load(name):
    # YAML 1.1 takes the key "on" for true; the services do not.
    data = yaml.safe_load(open(top + name))
    return {("on" if k is True else k): v for k, v in data.items()}
def check(name, schema):
    jsonschema.Draft202012Validator(schema).validate(load(name))
    return load(name)
a = check("github/action.yml", action)
w = check("github/example.yml", workflow)
check("gitlab/lockfair.yml", gitlab)
# The inputs that the workflow gives are those that the action has.
given = next(s for j in w["jobs"].values() for s in j["steps"]
             if s.get("uses", "").startswith("./"))["with"]
assert set(given) <= set(a["inputs"]), set(given) - set(a["inputs"])
wanted = {k for k, v in a["inputs"].items() if v.get("required")}
assert wanted <= set(given), wanted - set(given)
# Expressions name inputs and steps that there are.
import re
source = open(top + "github/action.yml").read()
assert set(re.findall(r"inputs\.([a-z]+)", source)) == set(a["inputs"])
assert set(re.findall(r"steps\.([a-z]+)", source)) <= {s.get("id")
    for s in a["runs"]["steps"]}
END
if python3 -c 'import jsonschema, yaml' 2>/dev/null; then
	python3 yaml.py "$top" >out 2>err
	point $? "the YAML is as GitHub and GitLab document it"
else
	skip "the YAML is as GitHub and GitLab document it" \
		"no python3-jsonschema or no python3-yaml"
fi

end_of_test
