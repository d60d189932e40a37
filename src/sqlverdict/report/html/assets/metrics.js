// One metric against another: how often they agree, and cases where they do not.

const matrix = { first: "", second: "" };

function metricsView() {
  return el("section.view", { id: "metrics", "aria-label": "Metrics", hidden: true });
}

const VALUES = ["right", "wrong", "wrongly abstained", "to review", "unscored"];
const DECIDED = ["right", "wrong"];

function drawMetrics() {
  const labels = binaryMetrics(state.system);
  if (!labels.includes(matrix.first)) matrix.first = labels[0];
  if (!labels.includes(matrix.second) || matrix.second === matrix.first) matrix.second = labels.find((label) => label !== matrix.first);
  fill(by("metrics"), el("h1", null, "One metric against another"),
    el("p", null, "Each number opens its cases. Marked: the two metrics say the opposite."),
    labels.length > 2 ? agreementTable(labels) : null,
    el("p.controls", null, metricChoice("Rows", labels, "first"), metricChoice("Columns", labels, "second")),
    crossTable());
}

function metricChoice(label, labels, side) {
  return el("label", null, label + " ", el("select", { "data-key": side, onchange: (event) => { matrix[side] = event.target.value; keepFocus(drawMetrics); } },
    labels.map((each) => el("option", { value: each, selected: each === matrix[side] }, each))));
}

function agreementTable(labels) {
  const share = (a, b) => {
    let same = 0, both = 0;
    for (let i = 0; i < doc.count; i++) {
      const first = called(state.system, a, i), second = called(state.system, b, i);
      if (!DECIDED.includes(first) || !DECIDED.includes(second)) continue;
      both++;
      same += first === second;
    }
    return both ? `${percent(same / both)} of ${number(both)}` : "–";
  };
  return textTable({ title: "Answers that two metrics decide alike", headers: ["", ...labels], rows: labels.map((a) => [a, ...labels.map((b) => (a === b ? "" : share(a, b)))]) }, "h2");
}

function crossTable() {
  const { first, second } = matrix;
  const cells = new Map();
  for (let i = 0; i < doc.count; i++) {
    if (doc.results[state.system].part[i] === null) continue;
    const key = `${called(state.system, first, i)}|${called(state.system, second, i)}`;
    if (!cells.has(key)) cells.set(key, []);
    cells.get(key).push(i);
  }
  const cell = (a, b) => {
    const list = cells.get(`${a}|${b}`) || [];
    if (!list.length) return el("td.cross.quiet", null, "0");
    const example = list[0];
    return el(a !== b && DECIDED.includes(a) && DECIDED.includes(b) ? "td.cross.disagree" : "td.cross", null,
      el("a.cross-count", { href: listAddress({ pair: `${first}=${a}&${second}=${b}` }) }, number(list.length)),
      el("a.cross-example", { href: caseLink(example, state.system) }, `${doc.cases.id[example]}: ${shortened(asked(example), 70)}`));
  };
  const there = (side) => VALUES.filter((name) => DECIDED.includes(name) || [...cells.keys()].some((key) => key.split("|")[side] === name));
  const rows = there(0), columns = there(1);
  return el("div.scroll", { tabindex: 0, role: "region", "aria-label": `${first} against ${second}` }, stacked(el("table.cross-table", null,
    el("thead", null, el("tr", null, el("td", null), columns.map((name) => el("th", { scope: "col" }, `${second} ${name}`)))),
    el("tbody", null, rows.map((a) => el("tr", null, el("th", { scope: "row" }, `${first} ${a}`), columns.map((b) => cell(a, b))))))));
}

const shortened = (text, most) => (text.length <= most ? text : text.slice(0, most - 1) + "…");
