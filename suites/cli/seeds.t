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
	        "machine": "model", "legend": {"old": "the old one", "fair": "fair"},
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

# --- tables of another shape ----------------------------------------------------------

# A table of two channels, whose "then" are records of two kernels, on machines of
# their own: edit changes `data` or `records` as before, or the posted `old`.
channels=$(cat <<\END
def loops(engine, scenario, channel, rate, machine="here"):
    r = record(engine, channel, 0, 0)
    r.update(scenario=scenario, machine=machine, assertions=[], verdict="pass")
    r["metrics"]["loops_per_s"] = {"average": rate}
    return r

def skipped(r):
    r.update(verdict="skip", reason="not on this system", metrics=None)

def keep(name, posted):
    with open(name, "w") as file:
        file.writelines(json.dumps(r) + "\n" for r in posted)

rates = {("yield", "one"): 250, ("yield", "two"): 500,
         ("pipe", "one"): 100, ("pipe", "two"): 50}
old = [loops("threads", f"then/{c}", r, v) for (r, c), v in rates.items()]
records = [loops("sim", "free", r, v, f"machine-{c}") for (r, c), v in rates.items()]
records += [loops("threads", f"here/{c}", r, v) for (r, c), v in rates.items()]
data["all_tables"] = {
    "scenario": "a scenario", "row": "channel", "head": "{}",
    "cell": {"then": "then/{column} {row}", "sim": "free {row} machine-{column}",
             "threads": "here/{column} {row}"},
    "columns": ["one", "two"], "rows": ["pipe", "yield"],
    "posted": {"k1": "k1.jsonl", "k2": "k2.jsonl"}}
data["tables"] = [{"title": "Rates", "measure": "loops", "reference": "pipe"},
                  {"title": "Order", "measure": "order"}]
del data["machine"]
END
)
channels()
{
	edit "$channels
$1
keep('k1.jsonl', old)
old[0]['metrics']['loops_per_s']['average'] = 150
keep('k2.jsonl', old)"
}

channels 'pass'
exits 0 "records as posted values"
[ "$(grep -c "| same class |" out)" -eq 8 ]
point $? "records as posted values: every row says so"
says out '| channel | where | one | two | agreement |' "records as posted values"
says out '| `yield` | then, k1 | 250 (2.50) | 500 (10) |  |' "a rate and a ratio"
says out '|  | then, k2 | 150 (1.50) | 500 (10) |  |' "a second one of then"
says out '|  | `sim` | 250 (2.50) | 500 (10) | same class |' "a machine for each column"
says out '| `pipe` | then, k1 | 1st (1.00) | 2nd (0.50) |  |' "the order of the columns"
says out 'Machine models: `machine-one`, `machine-two`.' "a machine for each column"

channels 'records[4]["metrics"]["loops_per_s"]["average"] = 160'
exits 0 "the class of either kernel will do"
channels 'records[4]["metrics"]["loops_per_s"]["average"] = 60'
[ "$status" -ne 0 ]
point $? "the class of neither kernel is an error"
says err "here/one yield threads: 60 (0.60) (slower), then faster or about as fast" \
	"the class of neither kernel"
channels 'records[2]["metrics"]["loops_per_s"]["average"] = 40'
[ "$status" -ne 0 ]
point $? "another order without a reason is an error"
says err "free pipe machine-one sim: 2nd (0.80) (2nd), then 1st" "another order"
channels 'records[2]["metrics"]["loops_per_s"]["average"] = 50.5'
says err "free pipe machine-two sim: 1st (0.99) (1st), then 2nd" "columns that are level"

channels 'del records[4]'
[ "$status" -ne 0 ]
point $? "a row without a record is an error"
says err "here/one yield threads: there is no record" "a row without a record"
channels 'del records[4]
data["absent"] = [{"cells": ["here/one yield threads"], "reason": "not to be had"}]'
exits 0 "a cell that is said to be absent"
says out '|  | `threads` | – [1] | 500 (10) | same class |' "an absent cell is a dash"
says out '1. `yield` one on `threads`: not to be had.' "an absent cell"
says out '|  | `threads` | – [1] | 1st (1.00) | same class |' "a column fewer"
channels 'skipped(records[4])'
exits 0 "a skipped cell"
says out '|  | `threads` | – [1] | 500 (10) | same class |' "a skipped cell is a dash"
says out '1. `yield` one on `threads`: not on this system.' "a skipped cell"
channels 'skipped(records[4]); skipped(records[5])'
says out '|  | `threads` | – [1] | – [1] |  |' "a row of skipped cells agrees with nothing"
channels 'skipped(records[6])'
exits 0 "a skipped cell that others are measured by"
says out '|  | `threads` | 250 | 500 (10) | same class |' "no ratio to a skipped cell"

# The other way round: rows are scenarios, columns are backends, one was not posted.
pollers=$(cat <<\END
def rate(engine, rule, poller, value):
    r = record(engine, poller, 0, 0)
    r.update(scenario=f"loop/{rule}/0", verdict="pass")
    r["assertions"] = [{"metric": m, "role": "", "value": v}
                       for m, v in (("rate", value), ("rate-cv", 0.25))]
    return r

records = [rate(engine, rule, poller, value) for engine in ("sim", "threads")
           for rule, value in (("a/1", 70), ("b/0", 100)) for poller in ("x", "y")]
data["tables"] = [{"title": "Rules", "scenario": "loop", "measure": "iterations",
                   "head": "with {}", "cell": "loop/{row}/0 {column}",
                   "columns": ["x", "y"],
                   "rows": {"a/1": [70, None], "b/0": [100, None]}}]
END
)
edit "$pollers"
exits 0 "rows that are scenarios"
says out '| lock | where | with x | with y | agreement |' "columns that are backends"
says out '| `a/1` | then | 70 (0.70) | – |  |' "a value that was not posted"
says out '|  | `sim` | 70 ± 25 % (0.70) | 70 ± 25 % (0.70) | same class |' \
	"rows that are scenarios"
edit "$pollers
records[0]['assertions'][0]['value'] = 90"
[ "$status" -ne 0 ]
point $? "a rule of another class is an error"
says err "loop/a/1/0 x sim: 90 ± 25 % (0.90) (as fast), then slower" "a rule"

# --- the posted values of this tree --------------------------------------------------

for data in "$top"/suites/data/*.json; do
	: >"$(basename "$data")l"
done
page "$top"/suites/data/*.json
[ "$status" -ne 0 ] && ! grep -q Traceback err
point $? "what is in suites/data can be read"
says err "latency/sha1/4 gil-bfs sim: there is no record" "what is in suites/data"
says err "cpued gil-priority threads: there is no record" "what is in suites/data"
says err "pingpong/free/other/processes spinlock celeron-smp sim: there is no record" \
	"what is in suites/data"
says err "select/probe/ready/1/0 kqueue sim: there is no record" "what is in suites/data"
sed -n '/<!-- seeds-page -->/,$p' "$top/doc/seeds.md" >page
for data in "$top"/suites/data/*.json; do
	python3 -c 'import json, sys
for t in json.load(open(sys.argv[1]))["tables"]: print(t["title"])' "$data"
done >titles
[ -s titles ] && ! while read -r title; do grep -qF "$title" page || echo; done <titles | grep -q ^
point $? "doc/seeds.md has a table for each of them"

end_of_test
