// The overview: the sentence, the evidence bar, metrics, slices, what differs most often.

const MOST_ROWS = 12;

function overviewView() {
  return el("section.view", { id: "overview", "aria-label": "Overview" });
}

function drawOverview() {
  const about = doc.systems[state.system];
  fill(by("overview"),
    about.alarms.map((line) => el("p.alarm", { role: "alert" }, line)),
    el("p.headline", null, about.sentence),
    about.luck ? el("p", null, about.luck) : null,
    el("p.quiet", null, about.title),
    barSection(),
    metricsSection(about),
    about.interactions ? el("section", null, textTable(about.interactions, "h2"), el("p.hint", null, "A conversation counts where all of its turns are right; n is the number of conversations.")) : null,
    slicesSection(about),
    errorsSection(),
    differencesSection(),
    about.remarks.length ? el("section", null, el("h2", null, "Notes"), el("ul.notes", null, about.remarks.map((line) => el("li", null, line)))) : null);
}

function partCounts(system) {
  const counts = new Map(Object.keys(doc.words.part).map((part) => [part, 0]));
  for (const part of doc.results[system].part) if (part !== null) counts.set(part, counts.get(part) + 1);
  return [...counts].filter(([, many]) => many);
}

function barSection() {
  const systems = doc.systems.length > 1 ? doc.systems.map((_, i) => i) : [0];
  const own = new Map(partCounts(state.system)), total = [...own.values()].reduce((sum, many) => sum + many, 0);
  const shown = new Set(systems.flatMap((system) => partCounts(system).map(([part]) => part)));
  const parts = Object.keys(doc.words.part).filter((part) => shown.has(part));
  const line = (part, many) => [el(`span.swatch.part-${part}`, { "aria-hidden": "true" }), el("span.legend-label", null, word("part", part)),
    el("span.legend-count", null, number(many)), el("span.quiet", null, percent(many / total))];
  return el("section", null, el("h2", null, "Evidence"),
    el("div.bars", null, systems.map((system) => evidenceBar(system))),
    el("ul.legend", { "aria-label": `Cases of ${doc.systems[state.system].name} by evidence` }, parts.map((part) => el("li", null,
      own.has(part) ? el("a", { href: listAddress({ part }), title: word("part_meaning", part) }, line(part, own.get(part)))
        : el("span.nowhere", { title: word("part_meaning", part) }, line(part, 0))))));
}

function evidenceBar(system) {
  const bar = el("div.bar", { "aria-hidden": "true" }, partCounts(system).map(([part, many]) => {
    const piece = el(`div.piece.part-${part}`, { title: `${word("part", part)}: ${number(many)}`, "data-part": part, onclick: () => go(listAddress({ part }, {}, system)) });
    piece.style.flexGrow = many;
    return piece;
  }));
  if (doc.systems.length < 2) return bar;
  const about = doc.systems[system], metric = about.metrics.find((each) => each.label === about.metric) || about.metrics[0];
  return el("div.bar-row" + (system === state.system ? ".current" : ""), null,
    el("a.bar-name", { href: "#overview?system=" + encodeURIComponent(about.name) }, about.name), bar,
    el("span.bar-value", null, metric ? percent(metric.value) : ""));
}

/** The parts of a metric's denominator; the last two are shown where there are any. */
const SCORE_PARTS = [["right", "right"], ["wrong", "wrong"], ["abstained", "wrongly abstained"], ["review", "to review"]];
const shownParts = (metrics) => SCORE_PARTS.filter(([name], i) => (i < 2 ? metrics.some((each) => each.binary) : metrics.some((each) => each[name])));

function metricsSection(about) {
  const parts = shownParts(about.metrics);
  return el("section", null, el("h2", null, "Metrics"),
    el("div.scroll", { tabindex: 0, role: "region", "aria-label": "Metrics" }, stacked(el("table.metrics", null,
      el("thead", null, el("tr", null, ["metric", "value", "95% interval", "", "n", ...parts.map(([, title]) => title), "unscored"].map((text, i) => (text ? el("th" + (i ? ".number" : ""), { scope: "col" }, text) : el("td", null))))),
      el("tbody", null, about.metrics.map((metric) => el("tr", null,
        el("th", { scope: "row" }, metric.label, metric.label === about.metric ? el("span.quiet", null, " decides") : null),
        el("td.number.value", null, metric.binary || metric.value === null || metric.value <= 1 ? percent(metric.value) : metric.value.toFixed(3)), el("td.number", null, intervalText(metric)), el("td.picture", null, intervalBar(metric)),
        el("td.number", null, number(metric.scored)), parts.map(([name]) => el("td.number", null, metric.binary ? number(metric[name]) : "")), el("td.number", null, number(metric.unscored)))))))),
    el("p.hint", null, "95% confidence intervals: Wilson for metrics of 0 and 1, bootstrap otherwise. n is the number of cases behind a value; cases to review count as not right for now, and unscored cases are left out."));
}

const SLICE_FACET = { difficulty: "difficulty", db_id: "db", feature: "feature" };

function slicesSection(about) {
  const kinds = Object.entries(doc.words.slice).map(([by_, title]) => [by_, title, about.slices.filter((each) => each.by === by_)]);
  return kinds.filter(([, , slices]) => slices.length > 1).map(([by_, title, slices]) => el("section", null, el("h2", null, title), sliceTable(by_, slices)));
}

function sliceTable(by_, slices) {
  const labels = slices[0].metrics.map((metric) => metric.label);
  const rows = slices.map((slice, i) => el("tr", { hidden: i >= MOST_ROWS },
    el("th", { scope: "row", title: word("feature", slice.key) === slice.key ? null : word("feature", slice.key) }, SLICE_FACET[by_] && (by_ === "difficulty" || slice.key !== "unlabelled") ? el("a", { href: listAddress({ [SLICE_FACET[by_]]: slice.key }) }, slice.key) : slice.key),
    el("td.number", null, number(slice.cases)),
    el("td.number.value", null, percent(slice.metrics[0].value)), el("td.number.quiet", null, number(slice.metrics[0].scored)), el("td.number", null, intervalText(slice.metrics[0])), el("td.picture", null, intervalBar(slice.metrics[0])),
    slice.metrics.slice(1).map((metric) => [el("td.number", null, percent(metric.value)), el("td.number.quiet", null, number(metric.scored))])));
  const more = slices.length > MOST_ROWS ? el("button.plain", { type: "button", onclick: (event) => { rows.forEach((row) => { row.hidden = false; }); event.currentTarget.remove(); } }, `Show all ${slices.length}`) : null;
  return [el("div.scroll", { tabindex: 0, role: "region", "aria-label": `Slices: ${by_}` }, stacked(el("table.metrics", null,
    el("thead", null, el("tr", null, el("th", { scope: "col" }, by_ === "db_id" ? "database" : by_), el("th.number", { scope: "col" }, "cases"), el("th.number", { scope: "col" }, labels[0]), el("th.number", { scope: "col" }, "n"),
      el("th.number", { scope: "col" }, "95% interval"), el("td", null), labels.slice(1).map((label) => [el("th.number", { scope: "col" }, label), el("th.number", { scope: "col" }, "n")]))),
    el("tbody", null, rows)))), more];
}

/** The differences between queries that occur most often, by name. */
function differencesSection() {
  const counts = new Map(), { tag } = doc.results[state.system];
  for (const names of tag) for (const name of names) counts.set(name, (counts.get(name) || 0) + 1);
  const rows = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, MOST_ROWS);
  if (!rows.length) return null;
  return el("section", null, el("h2", null, "What differs most often"),
    el("div.scroll", { tabindex: 0, role: "region", "aria-label": "What differs most often" }, stacked(el("table", null,
      el("thead", null, el("tr", null, el("th", { scope: "col" }, "difference"), el("th.number", { scope: "col" }, "cases"), el("th", { scope: "col" }, "meaning"))),
      el("tbody", null, rows.map(([name, many]) => el("tr", null, el("th", { scope: "row" }, el("a", { href: listAddress({ tag: name }) }, name)), el("td.number", null, number(many)), el("td", null, word("tag", name)))))))));
}
