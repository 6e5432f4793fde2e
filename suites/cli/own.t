#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# This project's own locks, as its gate judges them: what each claims, by counts and on
# both engines (layer A), and how long waits may be (layer B). Speed is for ci/gate, which
# has a base to compare with. A busy machine may leave cells undecided; it turns none red.
#
# LOCKFAIR: the program (default ./lockfair).

# shellcheck source-path=SCRIPTDIR source=common.sh
. "${srcdir:-.}/suites/cli/common.sh"

# decided NAME: nothing failed, and what was not decided is named
decided()
{
	[ "$status" -eq 0 ] || [ "$status" -eq 77 ]
	point $? "$1: exits 0 or 77 (was $status)"
	[ "$status" -ne 77 ] || grep '^INCONCLUSIVE' out | sed 's/^/# /'
}

run run --record all.jsonl
decided "every lock keeps its claims"
# On sim no machine is busy.
python3 - >out 2>err <<'END'
import json
cells = [json.loads(line) for line in open("all.jsonl")]
asked = [c for c in cells if not c["control"]["as"]]
locks = {c["backend"] for c in asked if c["engine"] == "sim"}
assert len(locks) >= 10, locks
assert {c["engine"] for c in asked} == {"sim", "threads"}
undecided = [(c["backend"], c["scenario"]) for c in asked
             if c["engine"] == "sim" and c["verdict"] in ("inconclusive", "error")]
assert not undecided, undecided
END
point $? "all of them, on both engines, and sim decides every cell"

run gate --layers b --base 'gil-*' --head 'gil-*'
decided "waits are as short as claimed"
says out "how long waits may be" "layer B"

run report -o all.html all.jsonl
[ -s all.html ] && [ "$(wc -c <all.html)" -le 2097152 ]
point $? "the report of all is at most 2 MB (is $(wc -c <all.html))"

end_of_test
