#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The comparison with posted results behind doc/seeds.md, as TAP: on made-up
# records, so that nothing is run. A cell of another class must have a reason.

# shellcheck source-path=SCRIPTDIR source=common.sh
. "${srcdir:-.}/suites/cli/common.sh"
command -v python3 >/dev/null || skip_all "no python3"

# page ARGUMENT…: leaves the streams in out and err, the exit status in status
page()
{
	"$top/ci/seeds-page" --from . "$@" >out 2>err
	status=$?
}

# A posted table of two locks beside 0 and 1 CPU threads, and records that agree.
# edit CODE: Python that changes `data` or `records` first.
echo "Made by hand." >about
edit()
{
	python3 - "$1" <<-\END
	import json, sys

	def record(engine, lock, threads, mean, delay=0):
	    machine = "model" if engine == "sim" else "here"
	    numbers = {"latency-mean": mean * 1e6, "latency-sd": 1e6}
	    return {"scenario": f"latency/pi/{threads}", "backend": lock,
	            "engine": engine, "machine": machine,
	            "assertions": [{"metric": m, "role": "server", "value": v}
	                           for m, v in numbers.items()],
	            "metrics": {"engine_ns": 10**9},
	            "volatile": {"noise": {"run_delay_ns": delay},
	                         "host": {"cpus": 2, "kernel": "k", "arch": "a"}}}

	data = {"title": "A table", "source": "somewhere", "system": "a machine",
	        "machine": "model", "locks": {"old": "the old one", "fair": "fair"},
	        "tables": [{"title": "Latency", "scenario": "latency/pi",
	                    "measure": "latency", "columns": [0, 1],
	                    "rows": {"old": [[0, 1], [90, 101]],
	                             "fair": [[0, 0], [1, 1]]}}],
	        "reasons": []}
	records = [record(engine, lock, threads, mean)
	           for engine in ("sim", "threads")
	           for lock, threads, mean in (("old", 0, 0), ("old", 1, 60),
	                                       ("fair", 0, 0), ("fair", 1, 2))]
	exec(sys.argv[1])
	json.dump(data, open("data.json", "w"))
	with open("data.jsonl", "w") as file:
	    file.writelines(json.dumps(r) + "\n" for r in records)
	END
	page data.json
}

edit 'pass'
exits 0 "records that agree"
says out "Made by hand." "records that agree"
[ "$(grep -c "| same class |" out)" -eq 4 ]
point $? "records that agree: every row says so"
says out '| `old` | then | 0 ± 1 ms | 90 ± 101 ms |  |' "records that agree"
says out '|  | `sim` | 0 ± 1 ms | 60 ± 1 ms | same class |' "records that agree"

edit 'records[1] = record("sim", "old", 1, 7)'
[ "$status" -ne 0 ]
point $? "another class without a reason is an error"
says err "latency/pi/1 old sim: 7 ± 1 ms (3 to 49 ms), then 50 to 400 ms" \
	"another class without a reason"
[ ! -s out ]
point $? "another class without a reason: no page"

edit 'records[1] = record("sim", "old", 1, 7)
data["reasons"] = [{"cells": ["*/1 old threads"], "reason": "not this one"},
                   {"cells": ["*/1 old sim"], "reason": "the model is too fast"}]'
exits 0 "another class with a reason"
says out "| **7 ± 1 ms** [1] | 1 of 2 in the same class |" "another class with a reason"
says out '1. `old` beside 1 on `sim`: the model is too fast.' "another class with a reason"

edit 'data["reasons"] = [{"cells": ["*"], "reason": "nobody needs this one"}]'
exits 0 "a reason that no cell needs"
[ "$(grep -c "nobody needs" out)" -eq 0 ]
point $? "a reason that no cell needs is not on the page"

edit 'del records[6]'
[ "$status" -ne 0 ]
point $? "a cell without a record is an error"
says err "latency/pi/0 fair threads: there is no record" "a cell without a record"

edit 'records[7] = record("threads", "fair", 1, 80, delay=600000000)'
exits 0 "what a busy machine did"
says out "waited 600 ms for a CPU, in a run of 1000 ms" "what a busy machine did"
edit 'records[7] = record("threads", "fair", 1, 80, delay=400000000)'
[ "$status" -ne 0 ]
point $? "a machine that was not that busy excuses nothing"

edit 'records += [record("sim", "old", 1, 61), record("sim", "old", 1, 500)]'
exits 0 "several seeds"
says out '|  | `sim` | 0 ± 1 ms | 61 ± 1 ms | same class |' "several seeds: the median"

# --- the posted values of this tree --------------------------------------------------

for data in "$top"/suites/data/*.json; do
	: >"$(basename "$data")l"
done
page "$top"/suites/data/*.json
[ "$status" -ne 0 ] && ! grep -q Traceback err
point $? "what is in suites/data can be read"
says err "latency/sha1/4 gil-bfs sim: there is no record" "what is in suites/data"
says err "cpued gil-priority threads: there is no record" "what is in suites/data"
sed -n '/<!-- seeds-page -->/,$p' "$top/doc/seeds.md" >page
for data in "$top"/suites/data/*.json; do
	python3 -c 'import json, sys
for t in json.load(open(sys.argv[1]))["tables"]: print(t["title"])' "$data"
done >titles
[ -s titles ] && ! while read -r title; do grep -qF "$title" page || echo; done <titles | grep -q ^
point $? "doc/seeds.md has a table for each of them"

end_of_test
