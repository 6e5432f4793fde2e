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
					h("td", { class: "n" }, measured(a.value, a.unit)),
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
	const seeds = [...new Set(list.flatMap((m) => m.runs.map((r) => r[0])))];
	const cell = (m, seed) => {
		const run = m.runs.find((r) => r[0] === seed);
		if (!run)
			return h("td", {}, "");
		const [, verdict, metric, value, bound] = run;
		return h("td", { class: `tone-${toneOf[verdict] || "error"}`,
			title: `seed ${seed}: ${verdict}, ${metric} ${number(value)}` +
				(bound === null ? "" : `, bound ${number(bound)}`) },
		`${number(value)} `, h("span", { "aria-hidden": true }, markOf[verdict] || "!"),
		h("span", { class: "hidden" }, verdict));
	};
	const metric = list[0].runs.length ? list[0].runs[0][2] : "";
	const table = h("div", { class: "wide" }, h("table", { class: "models" },
		h("caption", { class: "hidden" }, "Machine models and seeds"),
		h("thead", {}, h("tr", {}, h("td", {}, ""), seeds.map((x) =>
			h("th", { scope: "col" }, `seed ${x}`)))),
		h("tbody", {}, list.map((m) => h("tr", {}, h("th", { scope: "row" },
			m.machine, " ", h("span", { class: "soft small" },
				Object.entries(m.verdicts).map(([v, n]) => `${v} ${n}`).join(", "))),
		seeds.map((x) => cell(m, x)))))));
	return h("details", { open: open || record.verdict === "sensitive" },
		h("summary", {}, `${plural(list.length, "machine model")} × ` +
			`${plural(seeds.length, "seed")}: ${metric} in each run, ✓ pass, ✗ fail`), table);
}

/* --- Base and head --- */

const counterpart = (record) => {
	const [, arm, name] = /^(base|head):(.*)$/.exec(record.backend) || [];
	return arm && records.find((r) => r.backend === `${arm === "base" ? "head" : "base"}:` +
		name && sameScenario(r, record));
};

const changeOf = (record) => record.change || record.volatile.change;

/* For each metric the interval of head ÷ base, and of the control beneath it: logarithms,
 * where more than 0 is worse. */
function drawChange(list, change) {
	return (width) => {
		const left = 150, right = width - 130, row = 34, height = 30 + list.length * row;
		const span = Math.max(Math.log(1 + change.detect) * 1.6, ...list.flatMap((m) =>
			[m.head, m.control].flatMap((i) => [Math.abs(i.low), Math.abs(i.high)])
				.filter(Number.isFinite)));
		const x = (v) => left + (Math.max(-span, Math.min(span, v)) + span) / (2 * span) *
			(right - left);
		const picture = s("svg", { width, height });
		for (const [v, text] of [[0, "same"], [Math.log(1 + change.tolerate),
			`+${number(change.tolerate * 100)} %`], [Math.log(1 + change.detect),
			`+${number(change.detect * 100)} %`]])
			picture.append(s("line", { class: v ? "bound" : "tick", x1: x(v), x2: x(v), y1: 18,
				y2: height }), s("text", { x: x(v), y: 12, "text-anchor": "middle" }, text));
		list.forEach((m, i) => {
			const y = 34 + i * row, worse = m.change === "worse";
			const line = (of, dy, style, w) => of.low === null ? [] : [
				s("line", { class: "interval", x1: x(of.low), x2: x(of.high), y1: y + dy,
					y2: y + dy, style: `${style}; stroke-width: ${w}` }),
				s("circle", { cx: x(of.median), cy: y + dy, r: 4.5,
					style: style.replace("stroke", "fill") })];
			picture.append(s("text", { class: worse ? "name victim" : "name", x: 0,
				y: y + 5 }, m.name),
			...line(m.control, 11, "stroke: var(--other)", 3),
			...line(m.head, 0, worse ? "stroke: var(--bad)" : "stroke: var(--held)", 5),
			s("text", { class: worse ? "name victim" : "name", x: right + 14, y: y + 5 },
				`×${Math.exp(m.head.median).toFixed(2)}  ${m.may_fail ? m.change : "shown"}`));
		});
		return picture;
	};
}

function change(record) {
	const c = changeOf(record);
	const list = c ? c.metrics.filter((m) => m.told && m.head.median !== null) : [];
	if (!list.length)
		return null;
	const ratio = (x) => x === null ? "–" : Math.exp(x).toFixed(3);
	return figure("Head against base: how many times as much, with its interval; to the right " +
		"is worse. In grey the control, which is base once more",
		responsive(list.map((m) => `${m.name} ${m.change}, times ${ratio(m.head.median)}`)
			.join("; "), drawChange(list, c)),
		keys(["border-color: var(--held)", "head"], ["border-color: var(--bad)",
			"head, surely worse"], ["border-color: var(--other)", "control"]),
		numbers(["metric", "base", "head is ×", "interval", "control ×", "interval", "pairs"],
			list.map((m) => [m.name, measured(m.base, m.unit), ratio(m.head.median),
				`${ratio(m.head.low)} – ${ratio(m.head.high)}`, ratio(m.control.median),
				`${ratio(m.control.low)} – ${ratio(m.control.high)}`, m.head.pairs])));
}

/* --- Threads, noise --- */

function threads(record) {
	const list = record.metrics.threads;
	if (!list.length)
		return null;
	const head = ["thread", "asked", "granted", "steps", "known to be queued",
		"overtaken, times", "most, of one wait", "waited in all", "CPU"];
	const rows = list.map((t) => [t.thread + (t.inside_acquire ? " (still waiting)" : ""),
		t.requests, t.grants, t.steps, t.confirmed, t.overtakes, t.overtakes_max,
		t.acquire_ns ? duration(t.acquire_ns) : "–", duration(t.cpu_ns)]);
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
	return h("ul", { class: "facts" },
		record.assertions.filter((a) => !a.holds).length ? record.assertions.map((a, i) =>
			a.holds ? null : h("li", {}, h("b", {}, `${a.origin}: `), said.assertions[i])) :
			record.reason ? h("li", {}, record.reason) : null,
		record.expected.reason ? h("li", {}, h("b", {}, "expected: "),
			record.expected.reason) : null,
		said.starved.map((text) => h("li", {}, text)),
		record.control.note && record.control.note !== record.reason ?
			h("li", {}, h("b", {}, "controls: "), record.control.note) : null,
		record.evidence.ending ? h("li", {}, record.evidence.ending) : null);
}

function pictures(record) {
	return [change(record), timeline(record), rounds(record)];
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
	const other = counterpart(record);
	const both = other ? [record, other].sort((a, b) =>
		a.backend < b.backend ? -1 : 1) : [record];
	const swept = sweeps(records.filter((r) => r.backend === record.backend &&
		r.engine === record.engine && base(r.scenario) === base(record.scenario)));
	return h("article", {},
		h("h2", { tabindex: -1, id: "opened" }, badge(said), h("span", {}, said.title)),
		parameters(record), facts(record),
		h("div", { class: both.length > 1 ? "side two" : "side" }, both.map((r) =>
			h("div", {}, both.length > 1 ? h("h3", {}, r.backend, " ", badge(r.said)) : null,
				pictures(r)))),
		assertions(record), waits(record),
		swept.map((g) => sweepChart(g, `${g.text}, over the number of threads`)),
		models(record), threads(record), noise(record),
		record.volatile.stack ? h("details", { open: record.verdict === "fail" },
			h("summary", {}, "Stacks when it was given up"),
			h("pre", {}, record.volatile.stack)) : null,
		h("h3", {}, "Again"), commands(record));
}
