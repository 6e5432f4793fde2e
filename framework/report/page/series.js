/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Curves: distributions of waits. Drawn by uPlot where the page has it, so that a
 * pointer reads values; else as plain SVG.
 *
 * A curve: { name, colour, dash, points: [[x, y], …] }. A chart: { label, x: { log,
 * text }, y: { log, text }, curves, steps }. */
"use strict";

/* Of things that are no verdicts. */
const colours = [1, 2, 3, 4, 5, 6, 7].map((i) => `var(--line-${i})`);

function extent(values, log) {
	const of = values.filter((v) => Number.isFinite(v) && (!log || v > 0));
	let low = Math.min(...of), high = Math.max(...of);
	if (!of.length)
		return [log ? 1 : 0, 10];
	if (log)
		return [10 ** Math.floor(Math.log10(low) + 1e-9), 10 ** Math.ceil(Math.log10(high) - .02 || 1)];
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
	const ys = extent(chart.curves.flatMap((c) => c.points.map((p) => p[1])), chart.y.log);
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
		for (const c of chart.curves) {
			const points = c.points.filter((p) => (!chart.y.log || p[1] > 0) &&
				(!chart.x.log || p[0] > 0));
			picture.append(s("polyline", { class: "curve", style: `stroke: ${c.colour}`,
				"stroke-dasharray": c.dash || null,
				points: points.map((p, i) => (chart.steps && i ?
					`${x(p[0])},${y(points[i - 1][1])} ` : "") +
					`${x(p[0])},${y(p[1])}`).join(" ") }));
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
	/* Of a logarithmic axis only the decades. */
	const few = (a) => (u, ticks) => ticks.map((t) =>
		a.log && Math.abs(Math.log10(t) - Math.round(Math.log10(t))) > 1e-6 ? null : t);
	const axis = (a, size) => ({ stroke: shade("var(--soft)"), size, filter: few(a),
		grid: { stroke: shade("var(--line)"), width: 1, filter: few(a) },
		ticks: { stroke: shade("var(--line)"), size: 5, filter: few(a) },
		font: "12px system-ui",
		values: (u, ticks) => ticks.map((t) => t === null ? "" : a.text(t)) });
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
				points: { show: false } }))],
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
	[`border-color: ${c.colour}; border-top-style: ${!c.dash ? "solid" :
		c.dash[0] === "2" ? "dotted" : "dashed"}`, c.name]));

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
	const part = (p) => `${Number((p * 100).toPrecision(2))} %`;
	return figure("How many waits were longer: the part of all waits (logarithmic) over how " +
		"long they took (logarithmic)",
		curves({ steps: true, label: `Waits of ${roles.join(", ")}, see the numbers below`, curves: list,
			x: { log: true, text: duration }, y: { log: true, text: part } }, 250),
		curveKeys(list),
		numbers(["waits of", "count", "half", "9 in 10", "99 in 100", "longest"],
			roles.map((role) => {
				const w = record.histograms[role].wait;
				return [role, w.count, duration(w.p50), duration(w.p90), duration(w.p99),
					duration(w.max)];
			})));
}
