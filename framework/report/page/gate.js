/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What `lockfair gate' has recorded: base and head side by side. */
"use strict";

/* The record of the other build in the same cell, or undefined. */
function counterpart(record) {
	const [, arm, name] = /^(base|head):(.*)$/s.exec(record.backend) || [];
	return arm && records.find((r) => r.backend === `${arm === "base" ? "head" : "base"}:` +
		name && sameScenario(r, record));
}

/* Both builds, base first; or the record alone. */
function bothOf(record) {
	const other = counterpart(record);
	return other ? [record, other].sort((a, b) => a.backend < b.backend ? -1 : 1) : [record];
}

const changeOf = (record) => record.gate && record.gate.change;

/* What became of a cell, and its tone; "" where nothing did. */
function becameOf(record) {
	const was = record.gate && record.gate.base;
	if (!was || was === record.verdict)
		return !was || was === "pass" ? ["", "pass"] : ["as before", "known"];
	if (record.verdict === "fail" || record.verdict === "sensitive")
		return was === "pass" ? ["newly broken", "fail"] : ["was not sound before", "open"];
	return record.verdict === "pass" ? ["mended", "pass"] : ["changed", "open"];
}

/* What was inconclusive is tried again, and every attempt is told. */
function attempts(record) {
	const earlier = (record.gate && record.gate.earlier) || [];
	return earlier.map((x, i) => h("li", {}, h("b", {}, `attempt ${i + 1}: `),
		[x.verdict, x.reason].filter(Boolean).join(": ")));
}

/* --- Speed: for each metric the interval of head ÷ base, and the control's beneath --- */

const percent = (ratio) => {
	const x = (Math.exp(ratio) - 1) * 100;
	return `${x < 0 ? "−" : "+"}${Number(Math.abs(x).toPrecision(2))} %`;
};

/* Logarithms, of which more than 0 is worse. The axis is that of the text report or
 * longer, and an interval that leaves it has an arrow. */
function drawChange(list, change) {
	return (width) => {
		const narrow = width < 520, left = narrow ? 8 : 150, right = width - (narrow ? 12 : 150);
		const row = narrow ? 54 : 42, height = 26 + list.length * row;
		const low = Math.log(.8), high = Math.max(Math.log(1.5), ...list.map((m) =>
			Math.min(m.head.median, Math.log(2)) * 1.15));
		const at = (v) => left + (Math.max(low, Math.min(high, v)) - low) / (high - low) *
			(right - left);
		const picture = s("svg", { width, height });
		for (const [v, text, style, anchor] of [[0, "same", "tick strong", "end"],
			[Math.log(1 + change.tolerate), `+${number(change.tolerate * 100)} %`,
				"tolerated", "start"],
			[Math.log(1 + change.detect), `+${number(change.detect * 100)} %`, "bound",
				"start"]])
			picture.append(s("line", { class: style, x1: at(v), x2: at(v), y1: 18, y2: height }),
				s("text", { x: at(v), y: 12, "text-anchor": anchor }, text));
		list.forEach((m, i) => {
			const y = 26 + i * row + (narrow ? 30 : 18), worse = m.change === "worse";
			const name = worse ? "name victim" : "name";
			const verdict = `${percent(m.head.median)}  ${m.may_fail ? m.change : "shown"}`;
			const interval = (of, dy, kind, r) => [
				s("line", { class: `interval ${kind}`, x1: at(of.low ?? low),
					x2: at(of.high ?? high), y1: y + dy, y2: y + dy,
					"stroke-dasharray": of.low === null ? "2 6" : null }),
				...[[of.low ?? -9, low, -1], [of.high ?? 9, high, 1]].filter(([v, end, d]) =>
					(v - end) * d > 0).map(([, end, d]) => s("path", { class: `arrow ${kind}`,
					d: `M${at(end) + d * 8} ${y + dy}l${-d * 8} -5v10z` })),
				s("circle", { class: `median ${kind}`, cx: at(of.median), cy: y + dy, r })];
			picture.append(s("text", { class: name, x: 0, y: narrow ? y - 12 : y + 4 }, m.name),
				s("text", { class: name, x: narrow ? width : right + 14,
					"text-anchor": narrow ? "end" : "start", y: narrow ? y - 12 : y + 4 },
				verdict),
				...(m.control.median === null ? [] : interval(m.control, 13, "control", 3)),
				...interval(m.head, 0, worse ? "worse" : "head", 5));
		});
		return picture;
	};
}

function change(record) {
	const c = changeOf(record);
	const list = c ? c.metrics.filter((m) => m.told && m.head.median !== null) : [];
	if (!list.length)
		return null;
	const ratio = (x) => x === null ? "–" : percent(x);
	return figure("How much worse head is than base: the median of all pairs of rounds, and its " +
		"interval. An interval right of the first dashed line fails, one left of the second " +
		"passes. In grey the control: base against itself",
		responsive(list.map((m) => `${m.name} ${m.change}, ${ratio(m.head.median)}`)
			.join("; "), drawChange(list, c)),
		keys(["border-color: var(--held)", "head"], ["border-color: var(--bad)",
			"head, surely worse"], ["border-color: var(--other)", "control"]),
		numbers(["metric", "base", "head", "interval", "control", "interval", "pairs", ""],
			list.map((m) => [m.name, measured(m.base, m.unit), ratio(m.head.median),
				`${ratio(m.head.low)} … ${ratio(m.head.high)}`, ratio(m.control.median),
				`${ratio(m.control.low)} … ${ratio(m.control.high)}`, m.head.pairs,
				m.veto || m.change])));
}

/* --- All cells of the gate --- */

function gateCell(index) {
	return h("td", {}, index < 0 ? h("span", { class: "none", "aria-label": "not run" }, "·") :
		matrixButton(index, records[index].said.cell));
}

function gateTable(list) {
	return h("div", { class: "scroll" }, h("table", { class: "matrix gate", onkeydown: walk },
		h("thead", {}, h("tr", {}, ["scenario", "engine", "base", "head", ""].map((x) =>
			h("th", { scope: "col" }, x)))),
		h("tbody", {}, list.map((i) => {
			const r = records[i], [text, tone] = becameOf(r);
			return h("tr", {}, h("th", { class: "backend", scope: "row" }, r.scenario),
				h("td", { class: "engine" }, r.engine), gateCell(records.indexOf(counterpart(r))),
				gateCell(i), h("td", { class: `tone-${tone}` }, text));
		}))));
}

/* What differs is shown; what does not, when asked for. */
function gate() {
	const list = records.map((r, i) => i).filter((i) => asked(records[i]) && records[i].gate);
	const [, lock] = list.length ? /^(?:head:)?(.*)$/s.exec(records[list[0]].backend) : [];
	const claims = list.filter((i) => records[i].gate.layer !== "C");
	const differ = claims.filter((i) => becameOf(records[i])[0] || records[i].said.attention);
	const alike = claims.filter((i) => !differ.includes(i));
	/* What failed has its picture in its card. */
	const speed = list.filter((i) => changeOf(records[i]) && !["fail", "error"]
		.includes(records[i].said.tone));
	return list.length ? h("section", {}, h("h2", {}, "Base and head"),
		h("p", { class: "soft" }, `The change of ${lock}: ` + (differ.length ?
			`${differ.length} of ${plural(claims.length, "cell")} of claims differ or fail.` :
			`${plural(claims.length, "cell")} of claims, and head keeps what base kept.`)),
		differ.length ? gateTable(differ) : null,
		alike.length ? h("details", {}, h("summary", {},
			`${plural(alike.length, "cell")} in which both are as claimed`), gateTable(alike)) : null,
		speed.map((i) => h("section", { class: `card edge-${records[i].said.tone}` },
			h("h3", {}, badge(records[i].said), opener(i, records[i].said.title)),
			facts(records[i]), change(records[i]), commands(records[i])))) : null;
}
