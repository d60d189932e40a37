// Several systems: ranks, and which questions each gains and loses against another.

const comparing = { baseline: 0, metric: "" };

function systemsView() {
  return el("section.view", { id: "systems", "aria-label": "Systems", hidden: true });
}

function commonBinary() {
  return binaryMetrics(0).filter((label) => doc.systems.every((_, i) => binaryMetrics(i).includes(label)));
}

function drawSystems() {
  const metrics = commonBinary();
  comparing.metric = metrics.includes(comparing.metric) ? comparing.metric : metrics[0] || "";
  fill(by("systems"), el("h1", null, "Systems side by side"),
    doc.systems.map((each) => el("p", null, el("strong", null, each.name), ": ", each.sentence)),
    metrics.length ? changesSection(metrics) : null,
    doc.comparison.map((table) => el("section", null, textTable(table, "h2"))),
    doc.remarks.length ? el("section", null, el("h2", null, "Notes"), el("ul.notes", null, doc.remarks.map((line) => el("li", null, line)))) : null);
}

const KINDS = ["gained", "lost", "right in both", "right in neither", "unscored"];

function changesSection(metrics) {
  const base = doc.systems[comparing.baseline].name;
  const choose = (label, options, value, set) => el("label", null, label + " ", el("select", { "data-key": label, onchange: (event) => { set(event.target.value); keepFocus(drawSystems); } },
    options.map(([key, text]) => el("option", { value: key, selected: String(key) === String(value) }, text))));
  const rows = doc.systems.map((each, system) => {
    if (system === comparing.baseline) return null;
    const counts = Object.fromEntries(KINDS.map((kind) => [kind, 0]));
    for (let i = 0; i < doc.count; i++) counts[changeOf(i, comparing.baseline, system, comparing.metric)]++;
    return el("tr", null, el("th", { scope: "row" }, each.name), KINDS.map((kind) => el("td.number", null, counts[kind]
      ? el("a", { href: listAddress({ change: `${kind}|${base}|${comparing.metric}` }, {}, system) }, number(counts[kind])) : "0")));
  });
  const metric = comparing.metric;
  const many = { all: 0, none: 0 };
  for (let i = 0; i < doc.count; i++) {
    const who = rightSystems(i, metric);
    if (who && doc.results[state.system].part[i] !== null) many[who]++;
  }
  const link = (who) => (many[who] ? el("a", { href: listAddress({ systems: `${who}|${metric}` }) }, number(many[who])) : "0");
  return el("section", null, el("h2", null, "Gained and lost"),
    el("p.controls", null, choose("Against", doc.systems.map((each, i) => [i, each.name]), comparing.baseline, (value) => { comparing.baseline = Number(value); }),
      choose("by", metrics.map((each) => [each, each]), metric, (value) => { comparing.metric = value; })),
    el("div.scroll", { tabindex: 0, role: "region", "aria-label": "Gained and lost" }, stacked(el("table", null,
      el("thead", null, el("tr", null, el("th", { scope: "col" }, "system"), KINDS.map((kind) => el("th.number", { scope: "col" }, kind)))), el("tbody", null, rows)))),
    el("p", null, "Every system is right on ", link("all"), many.all === 1 ? " question" : " questions", "; none is right on ", link("none"), "."));
}
