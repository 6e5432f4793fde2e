#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The HTML report in a browser: every cell opens, nothing is complained of on the
# console, it fits a telephone, and what it draws is there. Both with uPlot, where the
# program has it, and without.
#
# LOCKFAIR: the program (default ./lockfair). CHROMIUM: the browser.

# shellcheck source-path=SCRIPTDIR source=common.sh
. "${srcdir:-.}/suites/cli/common.sh"
command -v python3 >/dev/null || skip_all "no python3 to make records"
browser=${CHROMIUM-}
for name in chromium chromium-browser google-chrome chrome; do
	test -n "$browser" || browser=$(command -v $name)
done
test -n "$browser" || skip_all "no chromium to open a report"

# --- Records of all kinds -----------------------------------------------------------

run run ticket pthread tas gil-bfs gil-interval faulty/lifo -s drain/2 -s order -s barging \
	-s hog -s interleaving --engine sim --record real.jsonl
[ -s real.jsonl ]
point $? "there are records"

# What no short run gives for certain: each verdict, a sweep with axes, two builds.
python3 - >out 2>err <<'END'
import copy, json
real = [json.loads(line) for line in open("real.jsonl")]
made = []
def add(like, **changes):
    record = copy.deepcopy(next(r for r in real
        if (r["scenario"], r["backend"]) == like and not r["control"]["as"]))
    record.update(changes)
    made.append(record)
    return record
hog = ("hog", "tas")
add(hog, engine="threads", machine="here", verdict="inconclusive", reason="a busy machine")
add(hog, engine="threads", backend="skipped", verdict="skip", reason="needs 4 CPUs")
add(hog, engine="threads", backend="lost", verdict="error", reason="the worker was lost")
add(hog, engine="threads", backend="</script><b>&", verdict="fail", reason="<i>it & 'you'</i>")
for workload in "pi", "regex":
    for n in range(5):
        record = add(("hog", "gil-bfs"), scenario=f"latency/{workload}/{n}", sweep=n,
                     axes={"workload": workload})
        record["assertions"][0].update(metric="latency", unit="ns", value=1e5 * (n + 1))
between = lambda m: {"low": m - .05, "median": m, "high": m + .05, "sigma": .1, "pairs": 40}
for arm, verdict in ("base", "pass"), ("head", "fail"):
    record = add(hog, backend=f"{arm}:mine", verdict=verdict,
                 gate={"layer": "A", "lock": "mine", "attempt": 1, "earlier": []})
    record["control"]["as"] = "base" if arm == "base" else ""
    record["gate"].update({} if arm == "base" else {"base": "pass"})
nothing = {"low": None, "median": .1, "high": None, "sigma": None, "pairs": 3}
add(hog, scenario="change/2", engine="threads", backend="head:mine", verdict="inconclusive",
    sweep=2, reason="too noisy", gate={"layer": "C", "lock": "mine", "attempt": 2,
    "earlier": [{"verdict": "inconclusive", "reason": "at first"}],
    "change": {"threads": 2, "tolerate": .05, "detect": .25, "metrics": [
        {"name": name, "unit": "ns", "may_fail": True, "told": True, "change": change,
         "base": 1e4, "head": between(m), "control": control, "veto": "",
         "ratios": [m], "control_ratios": [0]}
        for name, m, change, control in (("hand-over", .3, "worse", between(0)),
            ("mean wait", .01, "same", between(0)), ("p99", 9, "open", nothing))]}})
with open("all.jsonl", "w") as out:
    for record in real + made:
        print(json.dumps(record), file=out)
END
[ -s all.jsonl ]
point $? "and made ones"

run report -o report.html all.jsonl
exits 0 "report -o report.html"
[ "$(tail -n 1 report.html)" = "</html>" ]
point $? "it is whole"
grep -oE '(src|href) *= *"?(https?:)?//[^" >]*' report.html >out
[ ! -s out ]
point $? "it refers to nothing outside"
says report.html "default-src 'none'" "a browser is told to load nothing"
says report.html "hog on &lt;/script>&lt;b>&amp; (threads)" "names are text, not tags"

# --- In a browser -------------------------------------------------------------------

# What is done on the page; its value are the lines that are printed.
cat >probe.js <<'END'
(async () => {
const found = [];
const check = (name, good, why) => found.push(`${good ? "good" : "bad"}: ${name}` +
	(good ? "" : ` (${why})`));
const settle = () => new Promise((done) => requestAnimationFrame(() =>
	requestAnimationFrame(done)));

/* Every cell: opened by its address, with a heading and, if it has evidence, pictures. */
async function everyCell() {
	let pictures = 0, tables = 0, canvases = 0;
	for (let i = 0; i < records.length; i++) {
		show(i);
		await settle();
		const r = records[i], heading = dialog.querySelector("h2");
		if (!dialog.open || !heading.textContent.includes(r.said.title) ||
		    document.activeElement !== heading)
			return check("every cell opens", false, `${i}: ${r.said.title}`);
		const drawn = dialog.querySelectorAll("figure svg, figure canvas").length;
		if (r.evidence.grants && r.evidence.grants.order.length > 1 && !drawn)
			return check("every cell is drawn", false, `${i}: ${r.said.title}`);
		if (dialog.scrollWidth > dialog.clientWidth)
			return check("cells fit", false, `${r.said.title}: ${dialog.scrollWidth}`);
		pictures += drawn;
		canvases += dialog.querySelectorAll("canvas").length;
		tables += dialog.querySelectorAll("table").length;
	}
	check("every cell opens", true);
	check("uPlot or not", canvases > 0 === (typeof uPlot === "function" && !location.search),
		canvases);
	check("with pictures", pictures > records.length, pictures);
	check("with the numbers as tables", tables > records.length, tables);
	dialog.close();
}

/* By the keyboard alone. */
async function keyboard() {
	const buttons = [...document.querySelectorAll("#matrix .cell")];
	const press = (to, key) => to.dispatchEvent(new KeyboardEvent("keydown",
		{ key, bubbles: true, cancelable: true }));
	check("the matrix has cells", buttons.length > 10, buttons.length);
	buttons[0].focus();
	press(buttons[0], "ArrowRight");
	check("arrows move in the matrix", document.activeElement !== buttons[0] &&
		buttons.includes(document.activeElement), "did not move");
	const rows = document.querySelectorAll("#matrix tbody").length;
	for (let i = 0; i < rows * engines.length + 1; i++)
		press(document.activeElement, "ArrowDown");
	check("down to the last lock", document.activeElement.closest("tbody") ===
		[...document.querySelectorAll("#matrix tbody")].findLast((x) =>
			x.querySelector(`td:nth-of-type(2) .cell`)), "stopped before");
	const focused = document.activeElement;
	focused.click();
	const first = current;
	press(dialog.querySelector("h2"), "ArrowRight");
	check("arrows go from cell to cell", current === first + 1, current);
	dialog.close();
	await settle();
	check("focus returns", document.activeElement === focused, "elsewhere");
	check("every cell says what it is", buttons.every((b) =>
		/ on .*, (sim|threads): /.test(b.getAttribute("aria-label"))), "no label");
	check("every picture has words", [...document.querySelectorAll("[role=img]")]
		.every((x) => x.getAttribute("aria-label")), "no label");
}

/* Colours of the scheme, and contrast of its text after WCAG 2: 4.5 to 1. */
function contrast() {
	const luminance = (colour) => {
		const [r, g, b] = colour.match(/[\d.]+/g).slice(0, 3).map((x) => {
			const c = x / 255;
			return c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4;
		});
		return .2126 * r + .7152 * g + .0722 * b;
	};
	const ground = (e) => {
		for (; e; e = e.parentElement) {
			const c = getComputedStyle(e).backgroundColor;
			if (!/, 0\)$/.test(c))
				return c;
		}
		return "rgb(255, 255, 255)";
	};
	const poor = [...document.querySelectorAll("p, li, h1, h2, h3, .cell, .badge, th, dt, dd")]
		.filter((e) => e.textContent.trim() && e.offsetParent && !e.closest("svg"))
		.map((e) => {
			const [a, b] = [getComputedStyle(e).color, ground(e)].map(luminance);
			return [(Math.max(a, b) + .05) / (Math.min(a, b) + .05), e];
		}).filter(([ratio]) => ratio < 4.5);
	check("contrast", poor.length === 0, poor.slice(0, 3).map(([ratio, e]) =>
		`${ratio.toFixed(2)} ${e.className} ${e.textContent.slice(0, 30)}`));
	const dark = luminance(getComputedStyle(document.body).backgroundColor) < .2;
	check("follows the scheme", dark === matchMedia("(prefers-color-scheme: dark)").matches,
		`dark ${dark}`);
}

await settle();
const root = document.documentElement;
/* A browser that shows a telephone widens the window to what overflows. */
check("fits the width", root.scrollWidth <= Math.min(root.clientWidth, screen.width),
	`${root.scrollWidth} > ${screen.width}`);
contrast();
/* One chart a workload, in it a curve with a point for each number of threads. */
const charts = [...document.querySelectorAll(".charts figure")];
check("the sweep is drawn", charts.length === 2 && charts.every((x) =>
	x.querySelectorAll("polyline").length === 1 && x.querySelectorAll(".point").length === 5),
	charts.length);
charts[0].querySelector(".point").dispatchEvent(new MouseEvent("click", { bubbles: true }));
check("a point opens its cell", dialog.open &&
	dialog.textContent.includes("latency/pi/0 on gil-bfs"), "not");
dialog.close();
const change = document.querySelector(".card.edge-open:has(.interval)");
check("intervals of head and of the control", change &&
	change.querySelectorAll(".interval").length === 6 &&
	change.querySelectorAll(".arrow").length === 3, change &&
	change.querySelectorAll(".arrow").length);
check("every attempt is told", change.textContent.includes("attempt 1: inconclusive: at first"),
	"not");
check("what is newly broken", /hog.*newly broken/s.test(
	document.querySelector(".matrix.gate").textContent), "not");
show(records.findIndex((r) => r.backend === "head:mine"));
await settle();
check("base and head side by side", dialog.querySelectorAll(".side h4").length === 2 &&
	dialog.querySelectorAll(".side figure").length === 2,
	dialog.querySelectorAll(".side figure").length);
dialog.close();
await keyboard();
await everyCell();
return found;
})()
END

# look NAME QUERY OPTION…: what the probe finds
look()
{
	name=$1
	query=$2
	shift 2
	python3 "$top/suites/cli/browser.py" "$@" --probe probe.js "$browser" \
		"report.html$query" >out 2>err
	status=$?
	[ $status -eq 0 ] && grep -q '^good: every cell opens' out && ! grep -q '^bad' out
	point $? "$name: all as it should be"
	! grep -q '^console:' out
	point $? "$name: nothing on the console"
	sed -n 's/^opened/# opened/p' out
}

if ! python3 "$top/suites/cli/browser.py" "$browser" /dev/null >out 2>err; then
	cp out browser
	skip "in a browser" "chromium does not start here: $(head -n 1 browser)"
else
	look "wide, light" ""
	look "wide, without uPlot" "?plain"
	look "a telephone, dark" "" --width 390 --height 844 --dark
fi

# --- The other formats --------------------------------------------------------------

run report -o summary.md -o all.tap -o all.xml -o all.txt -f github -o notes all.jsonl
exits 0 "all formats at once"
says summary.md "## lockfair: ERROR, " "markdown"
says summary.md "| sim |" "markdown"
says summary.md "lockfair run faulty/lifo --scenario order" "markdown: how to repeat it"
says notes "::error title=FAIL%3A order on faulty/lifo (sim)::claim: " "github"
[ "$(grep -c '^::error' notes)" -le 10 ]
point $? "github: no more than it shows"
says all.tap "TAP version 13" "tap"
says all.xml "<testsuites" "junit"
says all.txt "FAIL  order on faulty/lifo (sim)" "text"
"$lockfair" report real.jsonl >out 2>err && says out "FAIL  order on faulty/lifo (sim)" \
	"to standard output"

run report -o report.pdf real.jsonl
exits 2 "an unknown ending"
says err "names no format" "an unknown ending"
run report -f htlm real.jsonl
exits 2 "an unknown format"
says err "did you mean html" "an unknown format"
run report -f html -o /dev/full real.jsonl
exits 99 "a full disk"
says err "cannot write /dev/full: No space left on device" "a full disk"
run report -o x.html -o /nowhere/x.md real.jsonl
exits 2 "an output that cannot be opened"
says err "cannot write --output=/nowhere/x.md: No such file" "an output that cannot be opened"
[ ! -s x.html ]
point $? "an output that cannot be opened: nothing is written"
for command in "merge -o" "trace -o" "history --baseline"; do
	# shellcheck disable=SC2086 # words
	run $command . real.jsonl
	exits 2 "${command% *} to a folder"
	says err "=.: Is a directory" "${command% *} to a folder"
done
run report
exits 2 "no records"

# --- Traces -------------------------------------------------------------------------

run trace -b tas -s hog -o x.json real.jsonl
exits 0 "trace"
python3 - >out 2>err <<'END'
import json
trace = json.load(open("x.json"))
events = trace["traceEvents"]
names = {e["name"] for e in events}
threads = {e["args"]["name"] for e in events if e["name"] == "thread_name"}
assert threads == {"hog", "victim"}, threads
assert {"process_name", "holds", "waits"} <= names, names
spans = [e for e in events if e["ph"] == "X"]
assert all(e["ts"] >= 0 and e["dur"] >= 0 and e["pid"] == 1 for e in spans)
assert any("victim was overtaken" in e["name"] for e in events if e["ph"] == "i")
# Of one thread no two spans overlap: Perfetto would drop one.
for t in {e["tid"] for e in spans}:
    mine = sorted((e["ts"], e["dur"]) for e in spans if e["tid"] == t)
    for (a, d), (b, _) in zip(mine, mine[1:]):
        assert a + d <= b + 1e-6, (t, a, d, b)
# One holder at a time, and the victim waits while others hold it.
held = sorted((e["ts"], e["ts"] + e["dur"]) for e in spans if e["name"] == "holds")
assert all(x[1] <= y[0] + 1e-6 for x, y in zip(held, held[1:])), "two at once"
longest = max(e["dur"] for e in spans if e["name"] == "waits")
assert longest > 1e6, longest
END
point $? "trace: what Perfetto opens, and what happened"
run trace -b nobody real.jsonl
exits 2 "trace of nothing"
says err "none of the" "trace of nothing"
run trace -e foo real.jsonl
exits 2 "trace of no engine"
says err "--engine=foo: the records have no such engine; they are of " "trace of no engine"

end_of_test
