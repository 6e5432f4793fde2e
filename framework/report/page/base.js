/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the parts of the page share: the data, and making elements. All words of
 * verdicts and metrics come with the data; none is made here a second time. */
"use strict";

const page = JSON.parse(document.getElementById("data").textContent);
const records = page.records;

/* h("p", { class: "soft" }, "text", child): null children are left out. */
function make(space, tag, attributes, children) {
	const e = space ? document.createElementNS(space, tag) : document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {})) {
		if (value === null || value === undefined || value === false)
			continue;
		if (name.startsWith("on"))
			e.addEventListener(name.slice(2), value);
		else
			e.setAttribute(name, value === true ? "" : value);
	}
	e.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
	return e;
}
const h = (tag, attributes, ...children) => make(null, tag, attributes, children);
const s = (tag, attributes, ...children) =>
	make("http://www.w3.org/2000/svg", tag, attributes, children);

const base = (scenario) => scenario.split("/")[0];
const asked = (r) => r.control.as === "";
const engines = [...new Set(records.filter(asked).map((r) => r.engine))];

/* "1.83 ms" */
function duration(ns) {
	const units = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];
	const [unit, size] = units.find((u) => Math.abs(ns) >= u[1]) || units[3];
	return `${Number((ns / size).toPrecision(3))} ${unit}`;
}

const plural = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;

function number(x) {
	return x === null ? "–" : Number(x).toLocaleString("en", Number.isInteger(x) ? {} :
		{ maximumSignificantDigits: 4 });
}

/* "312 grants", "1.83 ms", "0.982" */
function measured(value, unit) {
	if (value === null)
		return "–";
	if (unit === "ns")
		return duration(value);
	if (unit === "ratio" || unit === "index")
		return number(value);
	return `${number(value)} ${value === 1 ? unit.replace(/s$/, "") : unit}`;
}

/* A command, and a button that copies it. */
function command(label, text) {
	const button = h("button", { type: "button", onclick: copy }, "Copy");
	function copy() {
		const said = (word) => {
			button.textContent = word;
			setTimeout(() => { button.textContent = "Copy"; }, 1500);
		};
		const select = () => {
			/* A page that was opened from a disk may have no clipboard. */
			getSelection().selectAllChildren(code);
			said(document.execCommand("copy") ? "Copied" : "Selected");
		};
		if (navigator.clipboard && isSecureContext)
			navigator.clipboard.writeText(text).then(() => said("Copied"), select);
		else
			select();
	}
	const code = h("code", { tabindex: 0, "aria-label": label }, text);
	return h("div", { class: "command" }, h("span", { class: "label" }, label), code, button);
}

/* A table with the numbers of a picture, for who cannot or would not see it. */
function numbers(head, rows) {
	return h("details", { class: "small" }, h("summary", {}, "The numbers"),
		h("div", { class: "wide" }, h("table", { class: "data" },
			h("thead", {}, h("tr", {}, head.map((x) => h("th", { scope: "col" }, x)))),
			h("tbody", {}, rows.map((row) =>
				h("tr", {}, row.map((x) => h("td", {}, String(x)))))))));
}

/* Draws now and whenever the width of the place changes. `draw` gets the width. */
function responsive(label, draw) {
	const place = h("div", { role: "img", "aria-label": label });
	let drawn = 0;
	const watch = new ResizeObserver(() => {
		const width = Math.floor(place.clientWidth);
		if (width > 0 && Math.abs(width - drawn) > 1) {
			drawn = width;
			/* Not within the observer: that would be another change of size. */
			requestAnimationFrame(() => place.replaceChildren(draw(width)));
		}
	});
	watch.observe(place);
	return place;
}

/* Made when it is opened for the first time. */
function lazily(summary, content) {
	const e = h("details", {}, h("summary", {}, summary));
	e.addEventListener("toggle", () => e.append(...content().filter(Boolean)),
		{ once: true });
	return e;
}

function figure(caption, ...content) {
	return h("figure", {}, h("figcaption", {}, caption), content);
}

function keys(...entries) {
	return h("ul", { class: "keys" }, entries.map(([style, text, kind]) =>
		h("li", {}, h("i", { class: kind || null, style }), text)));
}
