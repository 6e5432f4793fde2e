/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One cell, opened: why it got its verdict, and what was seen. */
"use strict";

const origins = { claim: "the lock's claim", requirement: "required",
	safety: "always", information: "shown only" };

function badge(said) {
	return h("span", { class: `badge tone-${said.tone}` }, said.word);
}

function assertions(record) {
	if (!record.assertions.length)
		return null;
	const bound = (a) => a.bound === null || a.origin === "information" && !a.bound ? "" :
		`at ${a.at_least ? "least" : "most"} ${a.unit === "ns" ? duration(a.bound) : number(a.bound)}`;
	return [h("h3", {}, "What was measured, and the bounds"), h("div", { class: "wide" },
		h("table", { class: "data" },
			h("thead", {}, h("tr", {}, ["metric", "of", "measured", "bound", "who says so",
				"samples", ""].map((x, i) => h("th", { scope: "col",
				class: i === 2 || i === 5 ? "n" : null }, x)))),
			h("tbody", {}, record.assertions.map((a) =>
				h("tr", { class: a.holds ? null : "broken" },
					h("td", {}, a.metric), h("td", {}, a.role || "all"),
					h("td", { class: "n" },
						// Of an interval, which is drawn above.
						a.metric.startsWith("change-") ? "lower end " : "",
						measured(a.value, a.unit)),
					h("td", {}, bound(a)), h("td", { class: "soft" }, origins[a.origin]),
					h("td", { class: "n" }, number(a.n)),
					h("td", {}, a.origin === "information" ? "" :
						a.holds ? "holds" : "violated"))))))];
}

/* --- Machine models --- */

const markOf = { pass: "✓", fail: "✗", inconclusive: "?" };
const toneOf = { pass: "pass", fail: "fail", inconclusive: "open" };

function models(record, open) {
	const list = record.evidence.models;
	if (!list || !list.length)
		return null;
	const seeds = [...new Set(list.flatMap((m) => m.outcomes.flatMap((o) => o[4])))]
		.sort((a, b) => a - b);
	const cell = (m, seed) => {
		const outcome = m.outcomes.find((o) => o[4].includes(seed));
		if (!outcome)
			return h("td", {}, "");
		const [verdict, metric, value, bound] = outcome;
		return h("td", { class: `tone-${toneOf[verdict] || "error"}`,
			title: `seed ${seed}: ${verdict}, ${metric} ${number(value)}` +
				(bound === null ? "" : `, bound ${number(bound)}`) },
		`${number(value)} `, h("span", { "aria-hidden": true }, markOf[verdict] || "!"),
		h("span", { class: "hidden" }, verdict));
	};
	const metric = list[0].outcomes.length ? list[0].outcomes[0][1] : "";
	const counts = (m) => [...Object.entries(m.verdicts).map(([v, n]) => `${v} ${n}`),
		m.near ? `${m.near} near a bound` : "", m.cut_off ? `${m.cut_off} cut off` : ""]
		.filter(Boolean).join(", ");
	const table = h("div", { class: "wide" }, h("table", { class: "models" },
		h("caption", { class: "hidden" }, "Machine models and seeds"),
		h("thead", {}, h("tr", {}, h("td", {}, ""), seeds.map((x) =>
			h("th", { scope: "col" }, `seed ${x}`)))),
		h("tbody", {}, list.map((m) => h("tr", {}, h("th", { scope: "row" },
			m.machine, " ", h("span", { class: "soft small" },
				counts(m))),
		seeds.map((x) => cell(m, x)))))));
	return h("details", { open: open || record.verdict === "sensitive" },
		h("summary", {}, `${plural(list.length, "machine model")} × ` +
			`${plural(seeds.length, "seed")}: ${metric} in each run, ✓ pass, ✗ fail`), table);
}

/* --- Threads, noise --- */

function threads(record) {
	const list = record.threads;
	if (!list.length)
		return null;
	const count = (x) => x || 0;
	const head = ["thread", "asked", "granted", "steps", "known to be queued",
		"overtaken, times", "most, of one wait", "waited in all", "CPU"];
	const rows = list.map((t) => [t.thread + (t.inside_acquire ? " (still waiting)" : ""),
		...[t.requests, t.grants, t.steps, t.confirmed, t.overtakes, t.overtakes_max].map(count),
		t.acquire_ns ? duration(t.acquire_ns) : "–", duration(count(t.cpu_ns))]);
	return h("details", {}, h("summary", {}, plural(list.length, "thread")),
		h("div", { class: "wide" }, h("table", { class: "data" },
			h("thead", {}, h("tr", {}, head.map((x, i) =>
				h("th", { scope: "col", class: i ? "n" : null }, x)))),
			h("tbody", {}, rows.map((row) => h("tr", {}, row.map((x, i) =>
				h("td", { class: i ? "n" : null }, typeof x === "number" ?
					number(x) : x))))))));
}

function noise(record) {
	const entries = Object.entries(record.volatile.noise).filter(([, v]) =>
		typeof v === "number");
	if (!entries.length)
		return null;
	return h("details", { open: record.verdict === "inconclusive" },
		h("summary", {}, "What the machine did meanwhile"),
		h("table", { class: "data" }, h("tbody", {}, entries.map(([k, v]) =>
			h("tr", {}, h("th", { scope: "row" }, k.replace(/_ns$/, "").replaceAll("_", " ")),
				h("td", {}, k.endsWith("_ns") ? duration(v) : number(v)))))));
}

/* --- All of it --- */

function facts(record) {
	const { said } = record;
	const [became, tone] = becameOf(record);
	return h("ul", { class: "facts" },
		became ? h("li", { class: `tone-${tone}` }, h("b", {}, became),
			`: base ${record.gate.base === "pass" ? "passes" : `gives ${record.gate.base} for`} ` +
			"this cell") : null,
		record.assertions.filter((a) => !a.holds).length ? record.assertions.map((a, i) =>
			a.holds ? null : h("li", {}, h("b", {}, `${a.origin}: `), said.assertions[i])) :
			record.reason ? h("li", {}, record.reason) : null,
		attempts(record),
		record.expected.reason ? h("li", {}, h("b", {}, "expected: "),
			record.expected.reason) : null,
		said.starved.map((text) => h("li", {}, text)),
		record.control.note && record.control.note !== record.reason ?
			h("li", {}, h("b", {}, "controls: "), record.control.note) : null,
		record.evidence.ending ? h("li", {}, record.evidence.ending) : null);
}

/* Of a gate's cell both builds, beside each other. */
function pictures(record) {
	const both = bothOf(record);
	const of = (r) => [change(r), timeline(r), rounds(r)].filter(Boolean);
	return both.length < 2 ? of(record) : h("div", { class: "side" }, both.map((r) =>
		h("div", {}, h("h4", {}, badge(r.said), ` ${r.backend}`), of(r))));
}

function commands(record) {
	return [record.rerun ? command("repeat", record.rerun) : null,
		record.evidence.replay ?
			command("replay", `lockfair replay '${record.evidence.replay}'`) : null];
}

function parameters(record) {
	const list = Object.entries(record.params).map(([k, v]) => `${k} ${v}`).join(", ");
	return h("p", { class: "small soft" }, `Claims ${record.claim.text}. `,
		record.machine === "here" ? "On this machine" : `Machine models: ${record.machine}`,
		list ? `; parameters: ${list}` : "", `; took ${duration(record.volatile.duration_ns)}.`);
}

function article(record) {
	const { said } = record;
	return h("article", {},
		h("h2", { tabindex: -1, id: "opened" }, badge(said), h("span", {}, said.title)),
		parameters(record), facts(record),
		pictures(record), assertions(record), waits(record), sweepsOf(record),
		models(record), threads(record), noise(record),
		record.volatile.stack ? h("details", { open: record.verdict === "fail" },
			h("summary", {}, "Stacks when it was given up"),
			h("pre", {}, record.volatile.stack)) : null,
		h("h3", {}, "Again"), commands(record));
}
