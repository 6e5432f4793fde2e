/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who held the lock, and who waited for it: a lane a thread. */
"use strict";

const LANE = 30, BAR = 16, THIN = 6;

/* Steps of 1, 2 or 5 that cut `span` into about `n` parts. */
function step(span, n) {
	const raw = span / n, power = 10 ** Math.floor(Math.log10(raw));
	return [1, 2, 5, 10].map((f) => f * power).find((x) => x >= raw);
}

function hatching() {
	return s("defs", {}, s("pattern", { id: "starved", width: 5, height: 5,
		patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
		s("line", { x1: 0, y1: 0, x2: 0, y2: 5, stroke: "var(--bad)",
			"stroke-width": 1.6, "stroke-opacity": .55 })));
}

function laneHead(names, victim, left, width) {
	return names.map((name, i) => [
		s("line", { class: "lane", x1: left, x2: width, y1: top(i) + BAR + 3,
			y2: top(i) + BAR + 3 }),
		s("text", { class: name === victim ? "name victim" : "name", x: 0,
			y: top(i) + BAR - 3 }, name)]).flat();
	function top(i) { return 24 + i * LANE; }
}

function leftOf(names) {
	return Math.min(150, 14 + 7.4 * Math.max(...names.map((n) => n.length)));
}

/* The line after which the victim still waited, with what it had to see. */
function mark(x, width, bottom, text) {
	const from = Math.max(0, Math.min(x - 4, width - 6.8 * text.length));
	return [s("line", { class: "mark", x1: x, x2: x, y1: 16, y2: bottom }),
		s("text", { class: "mark-text", x: from, y: 12 }, text)];
}

function bar(kind, x, y, width, height, title) {
	return s("rect", { class: kind, x, y, width: Math.max(width, 1), height, rx: 1.5 },
		title ? s("title", {}, title) : null);
}

/* --- In time --- */

/* Waits of a lane that touch are one. */
function waitsOf(line, end) {
	return [...line.holds.map(([t, from, to]) => [t, from, to]),
		...line.waits.map(([t, from]) => [t, from, end])];
}

function drawTimes(line, names, victim, said) {
	const end = line.end;
	const start = 0;
	return (width) => {
		const left = leftOf(names), right = width - 4, height = 24 + names.length * LANE;
		const x = (t) => left + (Math.max(start, Math.min(end, t)) - start) /
			(end - start) * (right - left);
		const y = (i) => 24 + i * LANE;
		const picture = s("svg", { width, height: height + 24 }, hatching(),
			laneHead(names, victim, left, right));
		for (const [t, from, to] of waitsOf(line, end)) {
			if (to <= start || x(to) - x(from) < .5)
				continue;
			const mine = names[t] === victim;
			picture.append(bar(mine ? "waits mine" : "waits", x(from),
				y(t) + (mine ? 0 : (BAR - THIN) / 2), x(to) - x(from),
				mine ? BAR : THIN, `${names[t]} waited ${duration(to - from)}` +
				(from < start ? ", from before" : "")));
		}
		line.holds.forEach(([t, , from, to], i) => {
			const next = line.holds[i + 1];
			const until = to ?? (next ? next[2] : end);
			picture.append(bar(names[t] === victim ? "hold mine" : "hold", x(from), y(t),
				x(until) - x(from), BAR,
				`${names[t]} held it ${duration(until - from)}`));
		});
		const unit = step(end - start, Math.max(2, Math.min(8, (right - left) / 90)));
		for (let t = 0; t <= end; t += unit) {
			picture.append(s("line", { class: "tick", x1: x(t), x2: x(t), y1: height - 6,
				y2: height }), s("text", { x: x(t), y: height + 14, "text-anchor":
				t === 0 ? "start" : "middle" }, t === 0 ? "0" : duration(t)));
		}
		if (line.decisive !== undefined && line.holds[line.decisive])
			picture.append(...mark(x(line.holds[line.decisive][2]), width, height, said));
		return picture;
	};
}

/* --- In the order of grants, where there is no clock --- */

function drawOrder(grants, names, victim, said) {
	const runs = grants.order.slice(-52);
	let seen = grants.from + grants.order.slice(0, -52).reduce((n, r) => n + r[1], 0);
	let decisive = -1;
	runs.forEach(([, n], i) => {
		if (grants.decisive && seen < grants.decisive && grants.decisive <= seen + n)
			decisive = i;
		seen += n;
	});
	const size = runs.map(([, n]) => 1 + Math.log2(n) * .9);
	const total = size.reduce((a, b) => a + b, 0);
	return (width) => {
		const left = leftOf(names), right = width - 4, height = 24 + names.length * LANE;
		const unit = Math.min(30, (right - left) / total);
		const picture = s("svg", { width, height: height + 4 }, hatching(),
			laneHead(names, victim, left, right));
		const y = (name) => 24 + names.indexOf(name) * LANE;
		let x = left, from = left, to = -1;
		runs.forEach(([name, n], i) => {
			const wide = size[i] * unit - 1.5;
			if (name === victim && (i < decisive || decisive < 0))
				from = x + wide;
			picture.append(bar(name === victim ? "hold mine" : "hold", x, y(name), wide,
				BAR, `${name}, ${plural(n, "grant")} in a row`));
			if (n > 1 && wide > 24)
				picture.append(s("text", { class: "round-n", x: x + wide / 2,
					y: y(name) + BAR - 4.5 }, `×${n}`));
			x += size[i] * unit;
			if (i === decisive)
				to = x;
		});
		if (to > from && names.includes(victim)) {
			picture.insertBefore(bar("waits mine", from, y(victim), to - from - 2, BAR,
				`${victim} waited`), picture.children[1]);
			picture.append(...mark(to, width, height, said));
		}
		return picture;
	};
}

/* The threads of the picture: those that are in it, the victim last. */
function threadsOf(record, inPicture, victim) {
	const names = record.threads.map((t) => t.thread);
	const few = names.filter((n, i) => inPicture(n, i) || n === victim);
	return few.length ? few : names;
}

/* The decisive moment of a cell, or null where nothing was seen. */
function timeline(record) {
	const { timeline: line, grants } = record.evidence;
	const victim = (grants && grants.waiting) || (record.evidence.starved[0] || {}).thread;
	const all = record.threads.map((t) => t.thread);
	const overtaken = record.evidence.starved.find((e) => e.what === "overtaken");
	const said = overtaken ? `overtaken ${plural(overtaken.times, "time")}, and still waiting`
		: victim ? `${victim} still waits` : "";
	if (line && line.holds.length > 1 && line.end > 0) {
		const names = threadsOf(record, (n, i) => line.holds.some((x) => x[0] === i) ||
			line.waits.some((x) => x[0] === i), victim);
		const index = all.map((n) => names.indexOf(n));
		const own = { ...line, holds: line.holds.map(([t, ...x]) => [index[t], ...x]),
			waits: line.waits.map(([t, x]) => [index[t], x]) };
		return figure(h("span", {}, `Who held it, who waited: ${duration(line.end)}` +
			(line.decisive === undefined ? " of the run" : " around the decisive grant")),
			responsive(`Lanes of ${names.join(", ")}. ${said}`,
				drawTimes(own, names, victim, said)),
			laneKeys(victim),
			numbers(["thread", "asked", "granted", "held for"], line.holds.map(
				([t, a, g, r]) => [all[t], duration(a), duration(g),
					r === null ? "–" : duration(r - g)])));
	}
	if (grants && grants.order.length > 1) {
		const names = threadsOf(record, (n) => grants.order.some((r) => r[0] === n), victim);
		return figure(`Who was granted the lock, in order: the last of ` +
			`${plural(grants.total, "grant")} (widths not to scale)`,
			responsive(`Lanes of ${names.join(", ")}. ${said}`,
				drawOrder(grants, names, victim, said)),
			laneKeys(victim),
			numbers(["thread", "grants in a row"], grants.order));
	}
	return null;
}

function laneKeys(victim) {
	return keys(["background: var(--held)", "holds the lock", "block"],
		["background: var(--wait)", "waits", "block"],
		...(victim ? [["", `${victim} waits`, "block hatched"],
			["background: var(--bad)", `${victim} holds it`, "block"]] : []));
}

/* --- Rounds --- */

/* Which thread ended a round when: a column a round, in it the thread's own number. */
function rounds(record) {
	const r = record.evidence.rounds;
	if (!r || !r.order.length)
		return null;
	const names = record.threads.map((t) => t.thread);
	const column = 17, left = leftOf(names), width = left + r.order.length * column + 6;
	const height = 8 + names.length * LANE, count = {};
	const picture = s("svg", { width, height, style: "max-width: none" });
	names.forEach((name, i) => picture.append(
		s("line", { class: "lane", x1: left, x2: width, y1: 8 + i * LANE + BAR / 2,
			y2: 8 + i * LANE + BAR / 2 }),
		s("text", { class: "name", x: 0, y: 8 + i * LANE + BAR - 3 }, name)));
	r.order.forEach((name, i) => {
		const y = 8 + names.indexOf(name) * LANE;
		count[name] = (count[name] || 0) + 1;
		picture.append(s("rect", { class: "round", x: left + i * column, y,
			width: column - 2, height: BAR, rx: 2 }, s("title", {},
			`${name}, its ${r.whole ? `round ${count[name]}` : "round"}`)));
		if (r.whole)
			picture.append(s("text", { class: "round-n", x: left + (i + .5) * column - 1,
				y: y + BAR - 4.5 }, String(count[name])));
	});
	const did = names.map((n) => `${n} ${count[n] || 0}`).join(", ");
	return figure("Who ended a round of work when, from the left; where threads take turns, " +
		"the lanes fill evenly",
		h("div", { class: "wide", role: "img", tabindex: 0,
			"aria-label": `Rounds of each thread: ${did}` }, picture),
		h("p", { class: "small soft" }, `Rounds in the picture: ${did}; in all ${r.total}.`));
}
