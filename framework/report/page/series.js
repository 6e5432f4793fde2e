/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Curves: distributions of waits, and what depends on a number of threads. Drawn by
 * uPlot where the page has it, so that a pointer reads values; else as plain SVG.
 *
 * A curve: { name, colour, dash, points: [[x, y], …] }. A chart: { label, x: { log,
 * text }, y: { log, text }, curves, bound }. */
"use strict";

const colours = ["var(--held)", "var(--bad)", "var(--open)", "var(--good)", "var(--soft)"];

function extent(values, log) {
	const of = values.filter((v) => Number.isFinite(v) && (!log || v > 0));
	let low = Math.min(...of), high = Math.max(...of);
	if (!of.length)
		return [log ? 1 : 0, 10];
	if (log)
		return [10 ** Math.floor(Math.log10(low) + 1e-9), 10 ** Math.ceil(Math.log10(high) - 1e-9 || 1)];
	return low === high ? [low - 1, high + 1] : [low, high];
}

function ticksOf([low, high], log, n) {
	const ticks = [];
	if (log) {
		const decades = Math.round(Math.log10(high / low));
		const every = Math.max(1, Math.ceil(decades / n));
		for (let i = 0; i <= decades; i += every)
			ticks.push(low * 10 ** i);
		return ticks;
	}
	const unit = Math.max(step(high - low || 1, n), 1);
	for (let t = Math.ceil(low / unit) * unit; t <= high; t += unit)
		ticks.push(t);
	return ticks;
}

/* --- Plain SVG --- */

function drawCurves(chart, height) {
	const xs = extent(chart.curves.flatMap((c) => c.points.map((p) => p[0])), chart.x.log);
	const ys = extent(chart.curves.flatMap((c) => c.points.map((p) => p[1]))
		.concat(chart.bound ? [chart.bound] : []), chart.y.log);
	const part = (v, [a, b], log) => log ? Math.log(v / a) / Math.log(b / a) :
		(v - a) / (b - a);
	return (width) => {
		const left = 58, right = width - 12, bottom = height - 34, roof = 8;
		const x = (v) => left + part(v, xs, chart.x.log) * (right - left);
		const y = (v) => bottom - part(v, ys, chart.y.log) * (bottom - roof);
		const picture = s("svg", { width, height });
		for (const t of ticksOf(ys, chart.y.log, 5))
			picture.append(s("line", { class: "lane", x1: left, x2: right, y1: y(t), y2: y(t) }),
				s("text", { x: left - 8, y: y(t) + 4, "text-anchor": "end" }, chart.y.text(t)));
		for (const t of ticksOf(xs, chart.x.log, Math.max(2, Math.floor(width / 85))))
			picture.append(s("line", { class: "tick", x1: x(t), x2: x(t), y1: bottom,
				y2: bottom + 5 }), s("text", { x: x(t), y: bottom + 18,
				"text-anchor": "middle" }, chart.x.text(t)));
		if (chart.bound)
			picture.append(s("line", { class: "bound", x1: left, x2: right,
				y1: y(chart.bound), y2: y(chart.bound) }));
		for (const c of chart.curves) {
			const points = c.points.filter((p) => (!chart.y.log || p[1] > 0) &&
				(!chart.x.log || p[0] > 0));
			picture.append(s("polyline", { class: "curve", style: `stroke: ${c.colour}`,
				"stroke-dasharray": c.dash || null,
				points: points.map((p, i) => (chart.steps && i ?
					`${x(p[0])},${y(points[i - 1][1])} ` : "") +
					`${x(p[0])},${y(p[1])}`).join(" ") }));
			if (chart.dots)
				for (const p of points)
					picture.append(s("circle", { cx: x(p[0]), cy: y(p[1]), r: 3.2,
						style: `fill: ${c.colour}` }, s("title", {},
						`${c.name}: ${chart.y.text(p[1])} at ${chart.x.text(p[0])}`)));
		}
		return picture;
	};
}

/* --- uPlot --- */

const shade = (colour) => getComputedStyle(document.documentElement)
	.getPropertyValue(colour.slice(4, -1)).trim();

/* All curves over the union of their x, as uPlot wants them. */
function joined(curves) {
	const xs = [...new Set(curves.flatMap((c) => c.points.map((p) => p[0])))]
		.sort((a, b) => a - b);
	return [xs, ...curves.map((c) => {
		const at = new Map(c.points);
		return xs.map((x) => at.has(x) ? at.get(x) : null);
	})];
}

function plotCurves(chart, height) {
	const axis = (a, size) => ({ stroke: shade("var(--soft)"), size,
		grid: { stroke: shade("var(--line)"), width: 1 },
		ticks: { stroke: shade("var(--line)"), size: 5 }, font: "12px system-ui",
		values: (u, ticks) => ticks.map((t) => t === null ||
			(a.log && Math.abs(Math.log10(t) % 1) > 1e-6) ? "" : a.text(t)) });
	return (width) => {
		const place = h("div", {}), readout = h("div", { class: "readout" });
		const plot = new uPlot({
			width, height, legend: { show: false }, cursor: { y: false },
			scales: { x: { time: false, distr: chart.x.log ? 3 : 1 },
				y: { distr: chart.y.log ? 3 : 1 } },
			axes: [axis(chart.x, 34), axis(chart.y, 62)],
			series: [{}, ...chart.curves.map((c) => ({ label: c.name, spanGaps: true,
				stroke: shade(c.colour), width: 2,
				paths: chart.steps ? uPlot.paths.stepped({ align: 1 }) : undefined,
				dash: c.dash ? c.dash.split(" ").map(Number) : undefined,
				points: { show: Boolean(chart.dots), size: 7 } }))],
			hooks: { setCursor: [(u) => {
				const i = u.cursor.idx;
				readout.textContent = i === null || i === undefined ? "" :
					`${chart.x.text(u.data[0][i])}: ` + chart.curves.map((c, k) =>
						u.data[k + 1][i] === null ? null :
							`${c.name} ${chart.y.text(u.data[k + 1][i])}`)
						.filter(Boolean).join(" · ");
			}] },
		}, joined(chart.curves), place);
		place.append(readout);
		place.plot = plot;
		return place;
	};
}

function curves(chart, height) {
	/* report.html?plain: as it is without uPlot, for paper. */
	const draw = typeof uPlot === "function" && !/plain/.test(location.search) ?
		plotCurves : drawCurves;
	return responsive(chart.label, draw(chart, height));
}

const curveKeys = (list) => keys(...list.map((c) =>
	[`border-color: ${c.colour}; border-top-style: ${c.dash ? "dashed" : "solid"}`, c.name]));

/* --- How long waits were --- */

/* Which part of the waits was longer than x. */
function longer(histogram) {
	let left = histogram.count;
	const points = [[Math.max(histogram.min, 1), 1]];
	for (const [upper, n] of histogram.buckets) {
		left -= n;
		if (left > 0)
			points.push([Math.max(upper, 1), left / histogram.count]);
		else
			points.push([Math.max(histogram.max, 1), 1 / histogram.count]);
	}
	return points;
}

const sameScenario = (a, b) => a.engine === b.engine && a.scenario === b.scenario;

/* The record of a control of this cell's scenario, or undefined. */
function controlOf(record, which) {
	const name = record.control[which];
	return name && name !== record.backend ? records.find((r) => r.backend === name &&
		(sameScenario(r, record) || (r.engine === record.engine &&
			base(r.scenario) === base(record.scenario)))) : undefined;
}

function waits(record) {
	const roles = Object.keys(record.histograms).filter((role) =>
		record.histograms[role].wait && record.histograms[role].wait.count > 1);
	const list = [];
	roles.forEach((role, i) => {
		list.push({ name: role, colour: colours[i % colours.length],
			points: longer(record.histograms[role].wait) });
		for (const [which, dash] of [["fair", "6 4"], ["unfair", "2 4"]]) {
			const other = controlOf(record, which);
			const histogram = other && other.histograms[role] && other.histograms[role].wait;
			if (histogram && histogram.count > 1)
				list.push({ name: `${role}, ${which} control ${other.backend}`,
					colour: colours[i % colours.length], dash, points: longer(histogram) });
		}
	});
	if (!list.length)
		return null;
	const percent = (p) => `${Number((p * 100).toPrecision(2))} %`;
	return figure("How many waits were longer: the part of all waits (logarithmic) over how " +
		"long they took (logarithmic)",
		curves({ steps: true, label: `Waits of ${roles.join(", ")}, see the numbers below`, curves: list,
			x: { log: true, text: duration }, y: { log: true, text: percent } }, 250),
		curveKeys(list),
		numbers(["waits of", "count", "half", "9 in 10", "99 in 100", "longest"],
			roles.map((role) => {
				const w = record.histograms[role].wait;
				return [role, w.count, duration(w.p50), duration(w.p90), duration(w.p99),
					duration(w.max)];
			})));
}

/* --- What depends on the number of threads --- */

/* What of a cell is drawn over its number of threads: the first time that is judged, or
 * else the waits of the first role that has some. */
function response(record) {
	const a = record.assertions.find((x) => x.unit === "ns" && x.value !== null);
	if (a)
		return { text: `${a.metric}${a.role ? ` of ${a.role}` : ""}`, value: a.value,
			bound: a.bound };
	const role = Object.keys(record.histograms)[0];
	return role ? { text: `p90 of the waits of ${role}`,
		value: record.histograms[role].wait.p90 } : null;
}

/* Scenarios that sweep, as one chart a backend and engine, one curve a combination
 * of the other axes. */
function sweeps(of) {
	const groups = new Map();
	for (const r of of) {
		const seen = Number.isInteger(r.sweep) ? response(r) : null;
		if (!seen)
			continue;
		const key = [base(r.scenario), r.backend, r.engine].join("\n");
		const group = groups.get(key) || groups.set(key, { record: r, text: seen.text,
			lines: new Map() }).get(key);
		const line = Object.values(r.axes || {}).join(" ") || seen.text;
		if (!group.lines.has(line))
			group.lines.set(line, []);
		group.lines.get(line).push([r.sweep, seen.value]);
	}
	return [...groups.values()].filter((g) =>
		[...g.lines.values()].some((points) => points.length > 2));
}

function sweepChart(group, title) {
	const list = [...group.lines].map(([name, points], i) => ({ name,
		colour: colours[i % colours.length],
		points: points.sort((a, b) => a[0] - b[0]) }));
	return figure(title, curves({ label: `${group.text}, see the numbers below`,
		curves: list, dots: true, x: { text: String },
		y: { log: true, text: duration } }, 210), curveKeys(list),
		numbers([group.text, ...list[0].points.map((p) => plural(p[0], "thread"))],
			list.map((c) => [c.name, ...c.points.map((p) => duration(p[1]))])));
}
