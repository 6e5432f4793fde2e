/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The page: the answer first, then what needs attention, then everything. */
"use strict";

/* --- The head --- */

const tones = ["error", "fail", "open", "pass", "shown", "known", "skip"];

function head() {
	const list = records.filter(asked);
	const words = new Map();
	for (const { said } of list)
		words.set(said.word, { n: (words.get(said.word) || { n: 0 }).n + 1, tone: said.tone });
	const sorted = [...words].sort((a, b) =>
		tones.indexOf(a[1].tone) - tones.indexOf(b[1].tone));
	const host = records[0].volatile.host;
	return h("header", {},
		h("p", { class: "brand" }, "lockfair report"),
		h("h1", {}, h("span", { class: `word tone-${page.tone}` }, page.word),
			` ${page.sentence}`),
		h("p", { class: "soft" }, `${plural(list.length, "cell")} and ` +
			`${plural(records.length - list.length, "control")} on ${host.name} ` +
			`(${plural(host.cpus, "CPU")}, ${host.kernel}, ${host.arch}), ` +
			`${records[records.length - 1].volatile.time.replace("T", " ").replace("Z", " UTC")}`),
		h("div", { class: "tally", role: "presentation" }, sorted.map(([word, x]) =>
			h("span", { class: `fill-${x.tone}`, style: `flex: ${x.n}`, title:
				`${x.n} ${word}` }))),
		h("ul", { class: "counts" }, sorted.map(([word, x]) =>
			h("li", {}, h("b", {}, String(x.n)), " ",
				h("span", { class: `word tone-${x.tone}` }, word)))));
}

/* --- What needs attention --- */

function opener(index, content) {
	return h("button", { type: "button", onclick: () => show(index) }, content);
}

function card(index) {
	const record = records[index];
	const alike = records.filter((r) => r.said.alike === index);
	return h("section", { class: `card edge-${record.said.tone}` },
		h("h3", {}, badge(record.said), opener(index, record.said.title)),
		facts(record),
		alike.length ? h("p", { class: "small soft" }, "Likewise: ",
			alike.map((r) => `${r.scenario} on ${r.backend}`).join(", ")) : null,
		/* What is open has little to show: one may look. */
		record.said.tone === "open" && record.verdict !== "sensitive" ?
			lazily("What was seen", () => pictures(record)) : pictures(record),
		record.verdict === "sensitive" ? models(record) : null, commands(record));
}

function attention(title, wanted) {
	const list = records.map((r, i) => i).filter((i) => records[i].said.attention &&
		records[i].said.alike < 0 && wanted.includes(records[i].said.tone) &&
		/* Has its card beside the base's. */
		!(records[i].said.tone === "open" && changeOf(records[i])))
		.sort((a, b) => tones.indexOf(records[a].said.tone) -
			tones.indexOf(records[b].said.tone));
	return list.length ? h("section", {}, h("h2", {}, title), list.map(card)) : null;
}

/* --- Answers --- */

function answers() {
	return page.answers.map(({ engine, where, lists }) => lists.length ? h("section", {},
		h("h2", {}, "What was seen ", h("span", { class: "soft" }, where)),
		h("div", { class: "answers" }, lists.map(({ question, lines }) =>
			h("div", {}, h("h3", {}, question),
				h("ul", {}, lines.map((x) => h("li", {}, x))))))) : null);
}

/* --- The matrix --- */

/* Of several cells in one place (a sweep) the worst is shown. */
function worst(list) {
	return list.reduce((a, b) => records[b].said.rank > records[a].said.rank ? b : a);
}

function matrixCell(list) {
	if (!list.length)
		return h("td", {}, h("span", { class: "none", "aria-label": "not run" }, "·"));
	const index = worst(list), { said, scenario } = records[index];
	const sweep = scenario.slice(base(scenario).length);
	const text = said.cell + (list.length > 1 && !["pass", "shown", "skip"]
		.includes(said.tone) ? ` ${sweep}` : "");
	return h("td", {}, matrixButton(index, text, list.length > 1 ?
		`, worst of ${list.length}` : ""));
}

function matrixButton(index, text, more) {
	const { said, scenario, backend, engine } = records[index];
	return h("button", { type: "button", class: `cell tone-${said.tone}`,
		"data-tone": said.attention ? "attention" : said.tone, "data-index": index,
		onclick: () => show(index),
		"aria-label": `${more ? base(scenario) : scenario} on ${backend}, ${engine}: ` +
			said.word + (said.tone === "shown" ?
			`, ${said.cell.replace("~ ", "seen ")}` : "") + (more || "") }, text);
}

function matrix() {
	const list = records.map((r, i) => i).filter((i) => asked(records[i]));
	const backends = [...new Set(list.map((i) => records[i].backend))];
	const scenarios = [...new Set(list.map((i) => base(records[i].scenario)))];
	const of = new Map();
	for (const i of list) {
		const r = records[i], key = [r.backend, r.engine, base(r.scenario)].join("\n");
		of.set(key, (of.get(key) || []).concat(i));
	}
	const claims = (backend) => h("small", {}, "claims " +
		records.find((r) => r.backend === backend).said.claims);
	const row = (backend, engine, first) => h("tr", {},
		first ? h("th", { class: "backend", scope: "rowgroup", rowspan: engines.length },
			backend, claims(backend)) : null,
		h("th", { class: "engine", scope: "row" }, engine),
		scenarios.map((x) => matrixCell(of.get([backend, engine, x].join("\n")) || [])));
	return h("table", { class: "matrix" },
		h("caption", { class: "hidden" }, "Verdicts by backend, engine and scenario"),
		h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "backend"),
			h("th", { scope: "col" }, "engine"),
			scenarios.map((x) => h("th", { scope: "col" }, x)))),
		backends.map((b) => h("tbody", { "data-backend": b },
			/* On a narrow screen a line of its own, and no first column. */
			h("tr", { class: "own-line" }, h("th", { scope: "rowgroup",
				colspan: scenarios.length + 2 }, h("span", {}, b, " ", claims(b)))),
			engines.map((e, i) => row(b, e, i === 0)))));
}

/* Arrows go from cell to cell. */
function walk(event) {
	const to = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0],
		ArrowDown: [1, 0] }[event.key];
	const cell = event.target.closest("td");
	if (!to || !cell)
		return;
	const rows = [...event.currentTarget.querySelectorAll("tbody tr:not(.own-line)")]
		.map((tr) => [...tr.querySelectorAll("td")]);
	let y = rows.findIndex((r) => r.includes(cell)), x = rows[y].indexOf(cell);
	for (;;) {
		y += to[0];
		x += to[1];
		if (!rows[y] || x < 0 || x >= rows[0].length)
			return;
		const button = rows[y][x] && rows[y][x].querySelector("button");
		if (button) {
			event.preventDefault();
			button.focus();
			return;
		}
	}
}

const isUsed = ([word]) => records.some((r) => asked(r) && (word === "~ N" ?
	r.said.cell[0] === "~" : r.said.cell === word));

function overview() {
	const table = matrix();
	table.addEventListener("keydown", walk);
	const filter = () => {
		const text = search.value.trim().toLowerCase();
		for (const body of table.querySelectorAll("tbody"))
			body.hidden = text && !body.dataset.backend.toLowerCase().includes(text);
		for (const cell of table.querySelectorAll(".cell"))
			cell.classList.toggle("dim", only.checked &&
				cell.dataset.tone !== "attention");
	};
	const search = h("input", { type: "search", oninput: filter,
		placeholder: "Find a backend", "aria-label": "Find a backend" });
	const only = h("input", { type: "checkbox", oninput: filter });
	return h("section", { id: "matrix" }, h("h2", {}, "Every verdict"),
		h("p", { class: "soft" }, "A row is a lock with what it claims; each word opens its " +
			"evidence. Arrow keys move."),
		h("div", { class: "tools" }, search,
			h("label", {}, only, "only what needs attention")),
		h("div", { class: "scroll", tabindex: -1 }, table),
		h("dl", { class: "legend" }, page.legend.filter(isUsed).map(([word, text]) =>
			[h("dt", {}, word), h("dd", {}, text)])));
}

/* --- What is known, models, controls --- */

/* What is known not to hold, by reason. */
function known() {
	const reasons = new Map();
	records.forEach((r, i) => {
		if (asked(r) && r.verdict === "fail" && r.said.tone === "known")
			reasons.set(r.expected.reason, (reasons.get(r.expected.reason) || []).concat(i));
	});
	return reasons.size ? h("section", {}, h("h2", {}, "Known not to hold, and why"),
		[...reasons].map(([reason, list]) => h("section", { class: "card" },
			h("p", {}, reason), h("p", { class: "chips" }, list.map((i) =>
				h("button", { type: "button", class: "cell tone-known", onclick: () => show(i) },
					`${records[i].scenario} on ${records[i].backend}`,
					engines.length > 1 ? ` (${records[i].engine})` : "")))))) : null;
}

function sensitive() {
	const list = records.map((r, i) => i).filter((i) => asked(records[i]) &&
		records[i].verdict === "sensitive" && !records[i].said.attention);
	return list.length ? h("section", {},
		h("h2", {}, "Depends on the machine, and is known to"),
		list.map((i) => h("section", { class: "card" },
			h("h3", {}, badge(records[i].said), opener(i, records[i].said.title)),
			h("p", { class: "small" }, records[i].expected.reason),
			models(records[i])))) : null;
}

function controls() {
	const list = records.map((r, i) => i).filter((i) => !asked(records[i]));
	return list.length ? h("section", {}, h("h2", {}, "Controls"),
		h("p", { class: "soft" }, "For each scenario a lock that is known to be fair, and one " +
			"that is known not to be: without them a pass would show nothing."),
		h("details", {}, h("summary", {}, plural(list.length, "control")),
			h("ul", { class: "facts" }, list.map((i) => h("li", {}, badge(records[i].said),
				" ", h("a", { href: `#cell-${i}` }, records[i].said.title)))))) : null;
}

/* --- A cell, opened --- */

const dialog = h("dialog", { "aria-labelledby": "opened" });
let current = -1, from = null;

function siblings(index) {
	const r = records[index];
	const list = records.map((x, i) => i).filter((i) => records[i].backend === r.backend &&
		records[i].engine === r.engine && base(records[i].scenario) === base(r.scenario));
	return list.length > 1 ? h("nav", { class: "siblings", "aria-label":
		"Cells of this scenario" }, list.map((i) => h("button", { type: "button",
		"aria-current": String(i === index), onclick: () => show(i) },
		records[i].scenario.slice(base(r.scenario).length + 1) || records[i].scenario, " ",
		h("span", { class: `tone-${records[i].said.tone}` }, records[i].said.brief)))) : null;
}

function show(index) {
	if (!records[index])
		return;
	if (!dialog.open)
		from = document.activeElement;
	current = index;
	const content = article(records[index]);
	content.querySelector("h2").after(siblings(index) || "");
	const to = (by) => records[index + by] ? () => show(index + by) : null;
	dialog.replaceChildren(h("div", { class: "bar" },
		h("span", { class: "where" }, records[index].said.title),
		h("button", { type: "button", onclick: to(-1), disabled: !to(-1),
			"aria-label": "Cell before" }, "←"),
		h("button", { type: "button", onclick: to(1), disabled: !to(1),
			"aria-label": "Next cell" }, "→"),
		h("button", { type: "button", onclick: () => dialog.close() }, "Close")), content);
	if (!dialog.open)
		dialog.showModal();
	dialog.scrollTop = 0;
	content.querySelector("h2").focus({ preventScroll: true });
	history.replaceState(null, "", `#cell-${index}`);
}

dialog.addEventListener("close", () => {
	/* The event comes later; by then the next cell may be open. */
	if (dialog.open)
		return;
	current = -1;
	dialog.replaceChildren();
	history.replaceState(null, "", location.pathname + location.search);
	if (from && from.isConnected)
		from.focus();
});
dialog.addEventListener("keydown", (event) => {
	const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
	const scrolls = event.target.closest(".wide, code, input");
	if (by && !event.altKey && !scrolls)
		show(current + by);
});
dialog.addEventListener("click", (event) => {
	if (event.target === dialog && event.clientX < dialog.getBoundingClientRect().left)
		dialog.close();
});

function follow() {
	const [, index] = /^#cell-(\d+)$/.exec(location.hash) || [];
	if (index !== undefined)
		show(Number(index));
	else if (dialog.open)
		dialog.close();
}

/* --- Begin --- */

document.body.prepend(
	h("a", { class: "skip-link", href: "#matrix" }, "To the table of verdicts"),
	head(),
	h("main", {}, attention("What failed", ["error", "fail"]), gate(), overview(),
		attention("What is open", ["open"]), series(), answers(), known(), sensitive(),
		controls()),
	h("footer", {}, h("p", {}, page.words),
		h("p", {}, `Made by lockfair ${page.version} from ${plural(records.length, "record")}. ` +
			"This page is complete in itself and loads nothing.")),
	dialog);
addEventListener("hashchange", follow);
follow();
