#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What lockfair writes, given to programs that are not ours: TAP to prove, JUnit
# XML to xmllint with doc/junit.xsd, every record of a real run to a validator
# of JSON Schema with doc/record.schema.json. A reader that is not installed is
# a skipped point.
#
# LOCKFAIR: the program (default ./lockfair); srcdir: top of the sources.

# shellcheck source-path=SCRIPTDIR source=common.sh
. "${srcdir:-.}/suites/cli/common.sh"

# one_of NAME STATUS WANTED...
one_of() {
	name=$1
	status=$2
	shift 2
	for wanted; do
		[ "$status" -eq "$wanted" ] && break
	done
	[ "$status" -eq "$wanted" ]
	point $? "$name: exit status is one of $* (was $status)"
}

cat >validate.py <<'END'
import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1]))
validator = jsonschema.Draft202012Validator(schema)
validator.check_schema(schema)
bad = count = 0
for number, line in enumerate(open(sys.argv[2]), 1):
    count += 1
    for error in validator.iter_errors(json.loads(line)):
        bad += 1
        print(f"line {number}: {error.json_path}: {error.message[:200]}")
print(f"{count} records, {bad} errors")
sys.exit(bad > 0 or count == 0)
END

# --- Verdicts of all kinds that a real run gives -----------------------------------

"$lockfair" run ticket pthread gil-bfs gil-ticks faulty/lifo \
	--scenario drain/2 --scenario order --scenario barging --scenario hog \
	--scenario interleaving \
	--record r.jsonl --tap r.tap --junit r.xml >report 2>&1
status=$?
cp report out
one_of "a run with a faulty lock" $status 1
[ -s r.jsonl ]
point $? "it wrote records"
grep -q '^  backend ' report && grep -q '^FAIL  .* on faulty/lifo' report
point $? "its report has the table and the failure"

# --- Records -----------------------------------------------------------------------

if python3 -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null; then
	python3 validate.py "$top/doc/record.schema.json" r.jsonl >out 2>&1
	point $? "every record is as doc/record.schema.json says"
	head -n 1 r.jsonl | sed 's/"verdict":"[a-z]*"/"verdict":"perhaps"/' >bad.jsonl
	! python3 validate.py "$top/doc/record.schema.json" bad.jsonl >out 2>&1
	point $? "a record with another verdict is not"
else
	skip "every record is as doc/record.schema.json says" "no python3-jsonschema"
	skip "a record with another verdict is not" "no python3-jsonschema"
fi

# --- JUnit -------------------------------------------------------------------------

if command -v xmllint >/dev/null; then
	xmllint --noout --schema "$top/doc/junit.xsd" r.xml >out 2>&1
	point $? "the JUnit XML is as doc/junit.xsd says"
	xmllint --xpath 'count(//testcase)' r.xml >cases 2>out
	[ "$(cat cases)" = "$(wc -l <r.jsonl)" ]
	point $? "it has a testcase for each record"
	xmllint --xpath 'count(//failure)' r.xml >cases 2>out
	[ "$(cat cases)" -gt 0 ]
	point $? "it has the failure"
else
	skip "the JUnit XML is as doc/junit.xsd says" "no xmllint (libxml2-utils)"
	skip "it has a testcase for each record" "no xmllint (libxml2-utils)"
	skip "it has the failure" "no xmllint (libxml2-utils)"
fi

# --- TAP ---------------------------------------------------------------------------

if command -v prove >/dev/null; then
	prove --exec cat r.tap >out 2>&1
	[ $? -ne 0 ] && ! grep -q 'Parse errors' out
	point $? "prove reads the TAP, and sees the failure"
	"$lockfair" run ticket --scenario drain/2 --tap - >ok.tap 2>out
	one_of "a run of a fair lock" $? 0 77
	prove --exec cat ok.tap >out 2>&1
	point $? "prove takes the TAP of a run without a failure for a success"
else
	skip "prove reads the TAP, and sees the failure" "no prove (perl)"
	skip "a run of a fair lock" "no prove (perl)"
	skip "prove takes the TAP of a run without a failure for a success" "no prove (perl)"
fi

end_of_test
