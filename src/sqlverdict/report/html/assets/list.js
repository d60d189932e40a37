// The list of cases: only the rows in sight are made, so that it is as quick with 100,000 cases.

const ROW = 76;
const SPARE = 6;
const NARROW = "(max-width: 60rem)";
let selected = -1;

function listView() {
  const view = el("section.view.list-view", { id: "cases", "aria-label": "Cases", hidden: true },
    el("div.list-tools", null,
      el("div.tool-line", null,
        el("label.search", null, el("span.only-heard", null, "Search id, question and SQL"),
          el("input", { id: "search", type: "search", placeholder: "Search question, SQL, id", autocomplete: "off", spellcheck: "false", oninput: searched })),
        el("div.marks", { id: "marks", role: "group", "aria-label": "Verdict" })),
      el("details", { id: "facets-box", open: !matchMedia(NARROW).matches }, el("summary", null, "More filters"), el("div.facets", { id: "facets" })),
      el("div.list-line", null,
        el("span", { id: "shown-count", role: "status" }), el("div.chips", { id: "chips" }),
        el("span.list-buttons", null,
          el("button", { type: "button", id: "copy-ids", onclick: (event) => copy(state.cases.map((i) => doc.cases.id[i]).join("\n"), event.currentTarget) }, "Copy ids"),
          el("button", { type: "button", onclick: () => download("cases.csv", csv()) }, "CSV")))),
    el("div.rows", { id: "rows", role: "grid", tabindex: 0, "aria-label": "Cases", "aria-colcount": doc.systems.length + 1, onscroll: drawRows, onkeydown: listKey },
      el("div.row-head", { id: "row-head", role: "row", "aria-rowindex": 1 }),
      el("div.spacer", { id: "spacer", role: "rowgroup" })),
    el("div.case-pane", { id: "case", tabindex: "-1", role: "region", "aria-label": "Case" }));
  view.style.setProperty("--systems", doc.systems.length);
  view.classList.toggle("one-system", doc.systems.length === 1);
  view.classList.toggle("many-systems", doc.systems.length > 4);
  return view;
}

let typing = 0;
function searched() {
  clearTimeout(typing);
  typing = setTimeout(() => {
    const q = by("search").value;
    if (q === state.query) return;
    replaceAddress(listAddress(state.filters, { q, order: state.order }));
    route();
  }, 120);
}

/** Draws the list anew: after a change of filters, of the search or of the system. */
function refreshList() {
  applyFilters();
  const search = by("search");
  if (search.value !== state.query) search.value = state.query;
  keepFocus(() => { drawChips(); drawMarks(); drawFacets(); drawHead(); });
  by("shown-count").textContent = state.cases.length === doc.count ? counted(doc.count, "case") : `${number(state.cases.length)} of ${counted(doc.count, "case")}`;
  by("spacer").style.height = `${state.cases.length * ROW}px`;
  by("rows").setAttribute("aria-rowcount", state.cases.length + 1);
  drawRows();
}

function drawChips() {
  const chips = Object.entries(state.filters).map(([name, value]) =>
    el("button.chip.filter", { type: "button", "aria-label": `Remove filter ${filterLabel(name, value)}`, onclick: () => setFilter(name, undefined) }, filterLabel(name, value), " ×"));
  fill(by("chips"), chips, chips.length > 1 ? el("button.plain", { type: "button", onclick: () => go(listAddress({}, { q: state.query, order: state.order })) }, "Clear all") : null);
}

function setFilter(name, value) {
  const filters = { ...state.filters };
  if (value === undefined || value === "") delete filters[name];
  else filters[name] = value;
  go(listAddress(filters, { q: state.query, order: state.order }));
}

const setOrder = (order, system = state.system) => go(listAddress(state.filters, { q: state.query, order }, system));

/** The cell of a verdict, and the sign of it in the legend. */
function markSign(mark) {
  return el(`span.mark.mark-${mark}`, { "aria-hidden": "true" }, MARKS[mark][0]);
}

/** The legend of the cells: each verdict with its number of cases, as a filter. */
function drawMarks() {
  const used = LEGEND.filter((mark) => doc.systems.some((_, system) => verdictCount(system, mark)));
  const buttons = used.map((mark) => {
    const set = state.filters.verdict === mark;
    return el("button.mark-button", { type: "button", "data-key": mark, "aria-pressed": String(set), onclick: () => setFilter("verdict", set ? "" : mark) },
      markSign(mark), mark === "lucky" ? "of these by luck" : MARKS[mark][1], " ", el("span.quiet", null, number(verdictCount(state.system, mark))));
  });
  fill(by("marks"), buttons);
}

/** The marks of the legend: what is right by luck stands behind what is right, of which it is a part. */
const LEGEND = [...Object.keys(MARKS).filter((mark) => mark !== "lucky" && mark !== "abstained_right"), "lucky", "abstained_right"];

const countedMarks = new Map();

/** How many cases of a system have each mark. */
function markCounts(system) {
  if (!countedMarks.has(system)) {
    const counts = new Map();
    doc.cases.id.forEach((_, i) => { const mark = markOf(system, i); if (mark) counts.set(mark, (counts.get(mark) || 0) + 1); });
    countedMarks.set(system, counts);
  }
  return countedMarks.get(system);
}

/** How many cases of a system have a verdict; what is right by luck is right. */
function verdictCount(system, mark) {
  const many = (each) => markCounts(system).get(each) || 0;
  return many(mark) + (mark === "correct" ? many("lucky") : 0);
}

/** The heads of the columns; each puts the list in its order, or turns it. */
function drawHead() {
  const head = (title, now, next, system, current) => el("span" + (current ? ".current" : ""), { role: "columnheader", "aria-sort": now },
    el("button.plain", { type: "button", "data-key": title, title: `${title}: ${ORDERS[next].toLowerCase()}`, onclick: () => setOrder(next, system) },
      el("span.head-name", null, title), now === "none" ? null : el("span", { "aria-hidden": "true" }, now === "ascending" ? " ↑" : " ↓")));
  const turned = (up, down) => ({ [up]: "ascending", [down]: "descending" })[state.order] || "none";
  const listed = turned("benchmark", "reverse");
  fill(by("row-head"), head("Question", listed, listed === "ascending" ? "reverse" : "benchmark", state.system, false),
    doc.systems.map((each, system) => {
      const own = system === state.system, now = own ? turned("wrong", "right") : "none";
      return head(doc.systems.length > 1 ? each.name : "Verdict", now, now === "ascending" ? "right" : "wrong", system, own);
    }));
}

function drawFacets() {
  // The verdict has buttons of its own.
  const facets = Object.entries(FACETS).filter(([name]) => name !== "verdict").map(([name, facet]) => {
    const counts = [...state.counts[name]];
    if (counts.length < 2 && state.filters[name] === undefined) return null;
    const order = name === "part" ? Object.keys(doc.words.part) : null;
    counts.sort((a, b) => (order ? order.indexOf(a[0]) - order.indexOf(b[0]) : b[1] - a[1] || (a[0] < b[0] ? -1 : 1)));
    const options = counts.map(([value, many]) => el("option", { value, selected: state.filters[name] === value }, `${valueLabel(name, value)} (${number(many)})`));
    return el("label", null, el("span", null, facet.label),
      el("select", { "data-facet": name, "data-key": name, onchange: (event) => setFilter(name, event.target.value) }, el("option", { value: "" }, "all"), options));
  });
  fill(by("facets"), facets, el("label", null, el("span", null, "Order"), el("select", { "data-key": "order", onchange: (event) => setOrder(event.target.value) },
    orders().map(([name, label]) => el("option", { value: name, selected: state.order === name }, label)))));
}

function drawRows() {
  const box = by("rows"), spacer = by("spacer");
  const first = Math.max(0, Math.floor(box.scrollTop / ROW) - SPARE);
  const last = Math.min(state.cases.length, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + SPARE);
  const rows = [];
  for (let at = first; at < last; at++) rows.push(caseRow(at));
  fill(spacer, state.cases.length ? rows : el("div", { role: "row" }, el("p.quiet.empty", { role: "gridcell" }, "No case matches. Remove a filter.")));
  const active = state.cases.indexOf(selected);
  if (active >= first && active < last) box.setAttribute("aria-activedescendant", `row-${active}`);
  else box.removeAttribute("aria-activedescendant");
}

function caseRow(at) {
  const i = state.cases[at], results = doc.results[state.system];
  const row = el("div.row" + (i === selected ? ".selected" : ""), {
    id: `row-${at}`, role: "row", "aria-selected": String(i === selected), "aria-rowindex": at + 2, onclick: () => go(caseAddress(i)),
  },
    el("div.row-text", { role: "rowheader" },
      el("div.row-question", null, asked(i) || "(no question)"),
      el("div.row-facts", null, el(`span.swatch.part-${results.part[i]}`, { "aria-hidden": "true" }), `${doc.cases.id[i]} · ${doc.cases.db[i]} · ${word("part", results.part[i])}`)),
    doc.systems.map((_, system) => markCell(i, system)));
  row.style.top = `${at * ROW}px`;
  return row;
}

/** The verdict on one system's answer; a click shows that answer. */
function markCell(i, system) {
  const mark = markOf(system, i), part = doc.results[system].part[i];
  if (!mark) return el("span.mark-cell", { role: "gridcell", title: `${doc.systems[system].name}: absent` });
  const words = MARKS[mark][1], label = word("part", part);
  const shown = i === selected && system === state.answer && doc.systems.length > 1;
  return el("span.mark-cell" + (shown ? ".shown" : ""), {
    role: "gridcell", title: `${doc.systems[system].name}: ${words}${saysMore(part, mark) && mark !== "lucky" ? ` (${label})` : ""}`,
    onclick: (event) => { event.stopPropagation(); go(caseAddress(i, system)); },
  }, markSign(mark), el(doc.systems.length > 1 ? "span.only-heard" : "span", null, words));
}

/** Marks a case as the chosen one, and brings its row into sight. */
function select(position) {
  selected = position;
  const at = state.cases.indexOf(position), box = by("rows"), height = box.clientHeight - by("row-head").offsetHeight;
  if (at >= 0) {
    if (at * ROW < box.scrollTop) box.scrollTop = at * ROW;
    else if ((at + 1) * ROW > box.scrollTop + height) box.scrollTop = (at + 1) * ROW - height;
  }
  drawRows();
}

/** Goes to the next or previous case of the list. */
function step(by_) {
  if (!state.cases.length) return;
  const at = state.cases.indexOf(selected);
  const next = at < 0 ? 0 : Math.min(state.cases.length - 1, Math.max(0, at + by_));
  go(caseAddress(state.cases[next]));
}

function listKey(event) {
  if (event.target !== by("rows")) return;
  const page = Math.max(1, Math.floor(by("rows").clientHeight / ROW) - 2);
  if (event.key === "Enter" && selected >= 0) by("case-title")?.focus();
  const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
  const sides = { ArrowLeft: -1, ArrowRight: 1 };
  if (moves[event.key] === undefined && sides[event.key] === undefined) return;
  event.preventDefault();
  if (sides[event.key]) stepSystem(sides[event.key]);
  else if (Number.isFinite(moves[event.key])) step(moves[event.key]);
  else if (state.cases.length) go(caseAddress(event.key === "Home" ? state.cases[0] : state.cases.at(-1)));
}

/** Shows the answer of the next or previous system that has the case. */
function stepSystem(by_) {
  if (selected < 0) return;
  for (let system = state.answer + by_; doc.systems[system]; system += by_)
    if (markOf(system, selected)) { go(caseAddress(selected, system)); return; }
}

/** The shown cases as CSV. A value that a spreadsheet would take for a formula gets a quote. */
function csv() {
  const quote = (value) => '"' + String(value ?? "").replace(/^(?=[=+\-@\t\r])/, "'").replaceAll('"', '""') + '"';
  const results = doc.results[state.system], metrics = Object.keys(results.scores);
  const lines = [["id", "db_id", "difficulty", "question", "evidence", "verdict", "reasons", ...metrics, "gold", "prediction"]];
  for (const i of state.cases)
    lines.push([doc.cases.id[i], doc.cases.db[i], doc.cases.difficulty[i], asked(i), word("part", results.part[i]), results.verdict[i], results.reason[i].join(" "),
      ...metrics.map((metric) => results.scores[metric][i]), doc.cases.gold[i][0], results.prediction[i]]);
  return lines.map((line) => line.map(quote).join(",")).join("\r\n") + "\r\n";
}
