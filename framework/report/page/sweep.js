/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What depends on a number of threads: a chart for each workload (or other axis), all of
 * a scenario to one scale, and in each a curve for every lock. */
"use strict";

/* A lock has one colour and one line in all charts. */
const lines = new Map();
function lineOf(backend) {
	if (!lines.has(backend))
		lines.set(backend, { colour: colours[lines.size % colours.length],
			dash: ["", "7 4", "2 4"][Math.floor(lines.size / colours.length) % 3] || null });
	return lines.get(backend);
}

const drawable = (a) => ["ns", "ratio", "index"].includes(a.unit) && a.value !== null;

/* Which metric of a scenario is drawn: the first that is judged for some lock and is no
 * count. */
function metricOf(list) {
	for (const r of list)
		for (const a of r.assertions)
			if (drawable(a) && !["safety", "information"].includes(a.origin))
				return a;
	return list.flatMap((r) => r.assertions).find((a) => drawable(a) && a.unit === "ns");
}

/* Of one lock's cell: where it stands, and whether it got anything at all. */
function pointOf(record, metric) {
	const a = record.assertions.find((x) => x.metric === metric.metric &&
		x.role === metric.role && x.value !== null);
	const starved = record.assertions.some((x) => x.metric === "starved" && x.value > 0);
	return a || starved ? { x: record.sweep, value: a ? a.value : null, starved,
		bad: starved || record.verdict === "fail", record } : null;
}

/* [{ scenario, engine, metric, charts: [{ name, lines: [{ backend, points }] }] }] */
function sweeps(of) {
	const groups = new Map();
	for (const r of of.filter((x) => Number.isInteger(x.sweep) && !changeOf(x))) {
		const key = [base(r.scenario), r.engine].join("\n");
		groups.set(key, (groups.get(key) || []).concat(r));
	}
	return [...groups.values()].map((list) => {
		const metric = metricOf(list), charts = new Map();
		for (const r of metric ? list : []) {
			const point = pointOf(r, metric), name = Object.values(r.axes || {}).join(", ");
			const chart = charts.get(name) || charts.set(name, new Map()).get(name);
			if (point)
				chart.set(r.backend, (chart.get(r.backend) || []).concat(point));
		}
		return { scenario: base(list[0].scenario), engine: list[0].engine, metric,
			charts: [...charts].map(([name, chart]) => ({ name, lines: [...chart]
				.map(([backend, points]) => ({ backend, points: points.sort((a, b) =>
					a.x - b.x) })).filter((x) => x.points.length > 2) }))
				.filter((c) => c.lines.length) };
	}).filter((g) => g.charts.length);
}

/* The scale that all charts of a group share. What is starved stands on the worse edge. */
function scaleOf(group) {
	const points = group.charts.flatMap((c) => c.lines.flatMap((x) => x.points));
	const values = points.filter((p) => !p.starved && p.value !== null).map((p) => p.value);
	const log = values.some((v) => v > 0) && Math.min(...values) > 0 &&
		(group.metric.unit === "ns" || Math.max(...values) / Math.min(...values) > 30);
	const most = Math.max(...values, 1e-9);
	return { log, y: log ? extent(values, true) : [0, group.metric.unit === "ns" ? most :
		Math.max(1, most)], worst: group.metric.at_least ? 0 : 1,
	x: extent(points.map((p) => p.x)) };
}

function drawSweep(chart, scale, metric, own) {
	const text = (v) => metric.unit === "ns" ? duration(v) : number(v);
	return (width) => {
		const height = 196, left = 56, right = width - 14, bottom = height - 26, roof = 18;
		const x = (v) => left + (v - scale.x[0]) / (scale.x[1] - scale.x[0]) * (right - left);
		const part = (v) => scale.log ? Math.log(v / scale.y[0]) /
			Math.log(scale.y[1] / scale.y[0]) : (v - scale.y[0]) / (scale.y[1] - scale.y[0]);
		const y = (p) => p.starved || p.value === null ? (scale.worst ? roof - 10 : bottom) :
			bottom - part(p.value) * (bottom - roof);
		const picture = s("svg", { width, height });
		const ticks = scale.log ? ticksOf(scale.y, true, 6) :
			[0, .25, .5, .75, 1].map((k) => scale.y[1] * k);
		for (const t of ticks)
			picture.append(s("line", { class: "lane", x1: left, x2: right, y1: y({ value: t }),
				y2: y({ value: t }) }), s("text", { x: left - 8, y: y({ value: t }) + 4,
				"text-anchor": "end" }, text(t)));
		for (const t of new Set(chart.lines.flatMap((l) => l.points.map((p) => p.x))))
			picture.append(s("text", { x: x(t), y: bottom + 20, "text-anchor": "middle" },
				String(t)));
		const draw = (line) => {
			const { colour, dash } = lineOf(line.backend), dim = own && own !== line.backend;
			const mark = (p) => p.bad ? s("path", { class: "cross", d: `M${x(p.x) - 4} ` +
				`${y(p) - 4}l8 8m0 -8l-8 8`, style: `stroke: ${colour}` }) :
				s("circle", { cx: x(p.x), cy: y(p), r: 3.4, style: `fill: ${colour}` });
			picture.append(s("g", { class: dim ? "dimmed" : null },
				s("polyline", { class: "curve", style: `stroke: ${colour}`,
					"stroke-dasharray": dash, points: line.points.map((p) =>
						`${x(p.x)},${y(p)}`).join(" ") }),
				line.points.map((p) => s("g", { class: "point", onclick: () =>
					show(records.indexOf(p.record)) },
				s("title", {}, `${line.backend}, ${plural(p.x, "thread")}: ` +
					`${p.starved ? "starved for the whole window" : text(p.value)}; ` +
					p.record.said.word),
				s("circle", { class: "target", cx: x(p.x), cy: y(p), r: 11 }), mark(p)))));
		};
		chart.lines.filter((l) => l.backend !== own).forEach(draw);
		chart.lines.filter((l) => l.backend === own).forEach(draw);
		return picture;
	};
}

function sweepChart(chart, group, scale, own) {
	const { metric } = group, xs = [...new Set(chart.lines.flatMap((l) =>
		l.points.map((p) => p.x)))].sort((a, b) => a - b);
	const cell = (line, at) => {
		const p = line.points.find((q) => q.x === at);
		return !p ? "" : p.starved ? "starved" : measured(p.value, metric.unit);
	};
	return h("figure", { class: "small-multiple" },
		h("figcaption", {}, h("b", {}, chart.name || group.scenario)),
		responsive(`${metric.metric} over the number of threads, ${chart.name}: ` +
			"see the numbers below", drawSweep(chart, scale, metric, own)),
		numbers([metric.metric, ...xs.map((x) => plural(x, "thread"))],
			chart.lines.map((l) => [l.backend, ...xs.map((x) => cell(l, x))])));
}

const sweepKeys = (group) => keys(...[...new Set(group.charts.flatMap((c) =>
	c.lines.map((l) => l.backend)))].map((name) => {
	const { colour, dash } = lineOf(name);
	return [`border-color: ${colour}; border-top-style: ${dash === null ? "solid" :
		dash[0] === "2" ? "dotted" : "dashed"}`, name];
}));

function sweepText({ metric }) {
	return `Upwards: ${metric.metric}${metric.role ? ` of ${metric.role}` : ""}` +
		`${metric.at_least ? ", where more is better" : ", where less is better"}; to the ` +
		"right: the number of threads beside it. A cross is a cell that does not hold; one " +
		"at the edge was starved for the whole window.";
}

function series() {
	return sweeps(records.filter(asked)).map((group) => {
		const scale = scaleOf(group);
		return h("section", {}, h("h2", {}, `${group.scenario}, over the number of threads `,
			h("span", { class: "soft" }, group.engine === "sim" ? "in the simulator" :
				"on this machine")),
		h("p", { class: "soft small" }, sweepText(group)), sweepKeys(group),
		h("div", { class: "charts" }, group.charts.map((c) => sweepChart(c, group, scale))));
	});
}

/* For one cell: its own chart, with the other locks behind. */
function sweepsOf(record) {
	const alike = records.filter((r) => asked(r) && r.engine === record.engine &&
		base(r.scenario) === base(record.scenario) &&
		Object.values(r.axes || {}).join() === Object.values(record.axes || {}).join());
	return sweeps(alike.includes(record) ? alike : alike.concat(record)).map((group) =>
		h("div", {}, h("h3", {}, "Beside the other locks"),
			h("p", { class: "soft small" }, sweepText(group)), sweepKeys(group),
			group.charts.map((c) => sweepChart(c, group, scaleOf(group), record.backend))));
}
