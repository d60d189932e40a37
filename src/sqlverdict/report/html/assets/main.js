// Routes, keys and the start.

const SECTIONS = [
  ["goldsets", "Gold sets", () => Boolean(doc.golds)],
  ["overview", "Overview", () => true],
  ["summary", "Summary", () => true],
  ["cases", "Cases", () => true],
  ["systems", "Systems", () => doc.systems.length > 1],
  ["metrics", "Metrics", () => doc.systems.some((_, i) => binaryMetrics(i).length > 1)],
  ["reliability", "Reliability", () => doc.systems.some((each) => each.reliability)],
  ["golds", "Golds", () => doc.suspects !== null],
  ["run", "Run", () => true],
];
const DRAW = { overview: drawOverview, systems: drawSystems, metrics: drawMetrics, reliability: drawReliability, golds: drawGolds, goldsets: drawGoldSets, run: drawRun };
let sections = [];
let drawn = null;
let shownView = null;
const pageTitle = document.title;

function go(address) {
  if (location.hash !== address) history.pushState(null, "", address);
  // Back from the case: the list has the focus again.
  if (address.startsWith("#cases") && by("case").contains(document.activeElement)) by("rows").focus({ preventScroll: true });
  route();
}

function replaceAddress(address) {
  history.replaceState(null, "", address);
}

/** Draws the views that show one system's figures. */
function drawSummaries() {
  if (drawn === state.system) return;
  drawn = state.system;
  for (const [name] of sections) if (DRAW[name]) DRAW[name]();
  by("system").value = String(state.system);
}

function route() {
  const [name, fields] = location.hash.replace(/^#/, "").split(/\?(.*)/s);
  let view = sections.some(([id]) => id === name) ? name : sections[0][0];
  let position = -1;
  const list = listAddress();
  if (name.startsWith("case-")) {
    position = doc.position.get(decoded(name.slice(5))) ?? -1;
    view = "cases";
  }
  if (view === "cases") readFilters(fields || "");
  else if (fields) state.system = systemNumber(new URLSearchParams(fields).get("system"));
  const moved = shownView !== null;
  shownView = view;
  keepFocus(drawSummaries);
  show(view, position >= 0);
  document.title = view === sections[0][0] ? pageTitle : `${position >= 0 ? `Case ${doc.cases.id[position]}` : sections.find(([id]) => id === view)[1]} · ${pageTitle}`;
  // Its examples are unpacked when it is read, not before.
  if (view === "summary") keepFocus(drawSummary);
  if (view === "cases") showList(name, position, list !== listAddress(), moved);
  else if (moved && focusIsLost()) by("main").focus({ preventScroll: true });
}

function showList(name, position, changed, moved) {
  if (changed || !state.cases.length) refreshList();
  if (position >= 0) {
    if (!state.cases.includes(position)) {
      state.filters = {};
      state.query = "";
      replaceAddress(caseAddress(position));
      refreshList();
    }
    select(position);
    showCase(position, state.answer, moved);
    return;
  }
  if (moved && focusIsLost()) by("rows").focus({ preventScroll: true });
  if (name.startsWith("case-")) {
    select(-1);
    clearCase();
    fill(by("case"), el("p.empty", null, `There is no case ${decoded(name.slice(5))} in this run.`));
    return;
  }
  // The first case of a new list is shown at once; back from a case, that case stays.
  if (changed) by("rows").scrollTop = 0;
  const first = !changed && state.cases.includes(selected) ? selected : state.cases[0] ?? -1;
  select(first);
  if (first < 0) clearCase();
  else showCase(first, state.answer, false);
}

function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

function show(view, withCase) {
  for (const [name] of sections) by(name).hidden = name !== view;
  document.body.dataset.view = withCase ? "case" : view;
  for (const link of by("sections").querySelectorAll("a"))
    if (link.dataset.section === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  if (view !== "cases") scrollTo(0, 0);
}

function keyPressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || by("keys").open) return;
  const writing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "range";
  if (event.key === "Escape" && event.target.id === "search") {
    // A browser would empty the field, and the list would still be that of its words.
    event.preventDefault();
    by("rows").focus();
  } else if (event.key === "Escape" && document.body.dataset.view === "case") go(listAddress());
  if (writing) return;
  const keys = {
    "/": () => { if (by("cases").hidden) go(listAddress()); setTimeout(() => by("search").focus()); },
    j: () => step(1), k: () => step(-1),
    s: () => chooseSystem((state.system + 1) % doc.systems.length),
    o: () => go("#overview"), c: () => go(listAddress()),
    "?": () => by("keys").showModal(),
  };
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
}

/** The same view for another system. */
function chooseSystem(system) {
  const view = document.body.dataset.view;
  if (view === "case") go(oneAddress(selected, listAddress(state.filters, { q: state.query, order: state.order }, system).split("?")[1]));
  else if (view === "cases") go(listAddress(state.filters, { q: state.query, order: state.order }, system));
  else go(`#${view}?system=${encodeURIComponent(doc.systems[system].name)}`);
}

async function start() {
  await openDocument();
  sections = SECTIONS.filter(([, , there]) => there());
  const views = { overview: overviewView, summary: summaryView, cases: listView, systems: systemsView, metrics: metricsView, reliability: reliabilityView, golds: goldsView, goldsets: goldSetsView, run: runView };
  fill(by("main"), sections.map(([name]) => views[name]()));
  fill(by("sections"), el("ul", null, sections.map(([name, label]) => el("li", null, el("a", { href: "#" + name, "data-section": name }, label)))),
    el("button.plain", { type: "button", onclick: () => by("keys").showModal() }, "Keys"));
  const choice = by("system");
  fill(choice, doc.systems.map((each, i) => el("option", { value: i }, each.name)));
  choice.addEventListener("change", () => chooseSystem(Number(choice.value)));
  choice.parentElement.hidden = doc.systems.length < 2;
  addEventListener("hashchange", route);
  addEventListener("resize", () => { if (!by("cases").hidden) drawRows(); });
  document.addEventListener("keydown", keyPressed);
  route();
  document.body.dataset.ready = "yes";
}

start().catch((error) => {
  const old = typeof DecompressionStream === "undefined" ? " It needs a browser of 2023 or later." : "";
  fill(by("main"), el("p.alarm", { role: "alert" }, `This page could not be opened: ${error.message.trim().replace(/\.$/, "")}.${old}`));
  throw error;
});
