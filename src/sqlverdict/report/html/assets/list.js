// The list of cases: only the rows in sight are made, so that it is as quick with 100,000 cases.

const ROW = 76;
const SPARE = 6;
let selected = -1;

function listView() {
  return el("section.view.list-view", { id: "cases", "aria-label": "Cases", hidden: true },
    el("div.list-pane", null,
      el("div.list-tools", null,
        el("label.search", null, el("span.only-heard", null, "Search id, question and SQL"),
          el("input", { id: "search", type: "search", placeholder: "Search question, SQL, id", autocomplete: "off", spellcheck: "false", oninput: searched })),
        el("div.chips", { id: "chips" }),
        el("details", { id: "facets-box" }, el("summary", null, "Filters"), el("div.facets", { id: "facets" })),
        el("div.list-line", null, el("span", { id: "shown-count", role: "status" }),
          el("span.list-buttons", null,
            el("button", { type: "button", id: "copy-ids", onclick: (event) => copy(state.cases.map((i) => doc.cases.id[i]).join("\n"), event.currentTarget) }, "Copy ids"),
            el("button", { type: "button", onclick: () => download("cases.csv", csv()) }, "CSV")))),
      el("div.rows", { id: "rows", role: "listbox", tabindex: 0, "aria-label": "Cases", onscroll: drawRows, onkeydown: listKey },
        el("div.spacer", { id: "spacer" }))),
    el("div.case-pane", { id: "case", tabindex: "-1", role: "region", "aria-label": "Case" }));
}

let typing = 0;
function searched() {
  clearTimeout(typing);
  typing = setTimeout(() => {
    if (by("search").value === state.query) return;
    state.query = by("search").value;
    replaceAddress(listAddress());
    refreshList();
  }, 120);
}

/** Draws the list anew: after a change of filters, of the search or of the system. */
function refreshList() {
  applyFilters();
  const search = by("search");
  if (search.value !== state.query) search.value = state.query;
  keepFocus(() => { drawChips(); drawFacets(); });
  by("shown-count").textContent = state.cases.length === doc.count ? counted(doc.count, "case") : `${number(state.cases.length)} of ${counted(doc.count, "case")}`;
  by("spacer").style.height = `${state.cases.length * ROW}px`;
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

function drawFacets() {
  const facets = Object.entries(FACETS).map(([name, facet]) => {
    const counts = [...state.counts[name]];
    if (counts.length < 2 && state.filters[name] === undefined) return null;
    const order = name === "part" ? Object.keys(doc.words.part) : null;
    counts.sort((a, b) => (order ? order.indexOf(a[0]) - order.indexOf(b[0]) : b[1] - a[1] || (a[0] < b[0] ? -1 : 1)));
    const options = counts.map(([value, many]) => el("option", { value, selected: state.filters[name] === value }, `${valueLabel(name, value)} (${number(many)})`));
    return el("label", null, el("span", null, facet.label),
      el("select", { "data-facet": name, "data-key": name, onchange: (event) => setFilter(name, event.target.value) }, el("option", { value: "" }, "all"), options));
  });
  const sure = doc.results[state.system].confidence.length;
  const orders = Object.entries(ORDERS).filter(([name]) => name !== "confidence" || sure);
  fill(by("facets"), facets, el("label", null, el("span", null, "Order"), el("select", { "data-key": "order", onchange: (event) => go(listAddress(state.filters, { q: state.query, order: event.target.value })) },
    orders.map(([name, label]) => el("option", { value: name, selected: state.order === name }, label)))));
}

function drawRows() {
  const box = by("rows"), spacer = by("spacer");
  const first = Math.max(0, Math.floor(box.scrollTop / ROW) - SPARE);
  const last = Math.min(state.cases.length, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + SPARE);
  const rows = [];
  for (let at = first; at < last; at++) rows.push(caseRow(at));
  fill(spacer, state.cases.length ? rows : el("p.quiet.empty", { role: "option", "aria-disabled": "true" }, "No case matches. Remove a filter."));
  const active = state.cases.indexOf(selected);
  if (active >= first && active < last) box.setAttribute("aria-activedescendant", `row-${active}`);
  else box.removeAttribute("aria-activedescendant");
}

function caseRow(at) {
  const i = state.cases[at], results = doc.results[state.system];
  const row = el("div.row" + (i === selected ? ".selected" : ""), {
    id: `row-${at}`, role: "option", "aria-selected": String(i === selected), "aria-setsize": state.cases.length, "aria-posinset": at + 1,
    onclick: () => go(caseAddress(i)),
  },
    el(`span.swatch.part-${results.part[i]}`, { "aria-hidden": "true" }),
    el("div.row-text", null,
      el("div.row-question", null, asked(i) || "(no question)"),
      el("div.row-facts", null, `${doc.cases.id[i]} · ${doc.cases.db[i]} · ${word("part", results.part[i])}`)),
    doc.systems.length > 1 ? el("span.dots", { "aria-hidden": "true" }, doc.results.map((each) => el(`span.dot.part-${each.part[i] || "absent"}`))) : null);
  row.style.top = `${at * ROW}px`;
  return row;
}

/** Marks a case as the chosen one, and brings its row into sight. */
function select(position) {
  selected = position;
  const at = state.cases.indexOf(position), box = by("rows");
  if (at >= 0) {
    if (at * ROW < box.scrollTop) box.scrollTop = at * ROW;
    else if ((at + 1) * ROW > box.scrollTop + box.clientHeight) box.scrollTop = (at + 1) * ROW - box.clientHeight;
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
  const page = Math.max(1, Math.floor(by("rows").clientHeight / ROW) - 1);
  if (event.key === "Enter" && selected >= 0) by("case-title")?.focus();
  const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
  if (moves[event.key] === undefined) return;
  event.preventDefault();
  if (Number.isFinite(moves[event.key])) step(moves[event.key]);
  else if (state.cases.length) go(caseAddress(event.key === "Home" ? state.cases[0] : state.cases.at(-1)));
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
