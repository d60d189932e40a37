// Kinds of error by SQL feature of the gold, as a heat map.

const NOT_RUN = "not_run";

/** The kinds of error of a case that counts as wrong, by the tags of what differs; else none. */
function errorsOf(system, i) {
  const results = doc.results[system];
  if (results.verdict[i] !== "incorrect") return [];
  if (results.part[i] === "failed" || results.part[i] === "blocked") return [NOT_RUN];
  const kinds = [...new Set(results.tag[i].map((tag) => doc.words.tag_error[tag]).filter(Boolean))];
  return kinds.length ? kinds : ["other_fatal"];
}

const errorLabel = (kind) => (kind === NOT_RUN ? "does not run" : kind === "other_fatal" ? "other" : kind.replaceAll("_", " "));
const errorMeaning = (kind) => (kind === NOT_RUN ? "the prediction gives no answer" : word("error", kind));

/** For each feature: its cases, its wrong ones, and these by kind of error. */
function errorCounts(system) {
  const rows = new Map();
  doc.cases.feature.forEach((features, i) => {
    if (doc.results[system].part[i] === null) return;
    const kinds = errorsOf(system, i);
    for (const feature of features) {
      if (!rows.has(feature)) rows.set(feature, { cases: 0, wrong: 0, kinds: new Map() });
      const row = rows.get(feature);
      row.cases++;
      if (kinds.length) row.wrong++;
      for (const kind of kinds) row.kinds.set(kind, (row.kinds.get(kind) || 0) + 1);
    }
  });
  return [...rows].filter(([, row]) => row.wrong).sort((a, b) => b[1].wrong - a[1].wrong || (a[0] < b[0] ? -1 : 1));
}

function errorsSection() {
  const system = state.system;
  // Without tags nothing is known but that the answers differ.
  if (!doc.results[system].tag.some((tags) => tags.length)) return null;
  const rows = errorCounts(system);
  const kinds = [...Object.keys(doc.words.error), NOT_RUN].filter((kind) => rows.some(([, row]) => row.kinds.has(kind)));
  if (!rows.length) return null;
  const most = Math.max(...rows.filter(([, row]) => row.cases >= 5).flatMap(([, row]) => [...row.kinds.values()].map((many) => many / row.cases)), 0.01);
  const cell = (feature, row, kind) => {
    const many = row.kinds.get(kind) || 0;
    if (!many) return el("td.number.heat.none", null, el("span.quiet", null, "–"));
    const td = el("td.number.heat", null, el("a", { href: listAddress({ feature, error: kind }), title: `${errorLabel(kind)} in ${number(many)} of ${counted(row.cases, "case")} with ${feature}` }, number(many)));
    td.style.setProperty("--heat", `${Math.round(45 * Math.min(1, many / row.cases / most))}%`);
    return td;
  };
  const lines = rows.map(([feature, row], i) => el("tr", { hidden: i >= MOST_ROWS },
    el("th", { scope: "row", title: word("feature", feature) }, el("a", { href: listAddress({ feature, verdict: "incorrect" }) }, feature)),
    el("td.number", null, number(row.cases)), el("td.number.value", null, percent(row.wrong / row.cases)), kinds.map((kind) => cell(feature, row, kind))));
  const more = rows.length > MOST_ROWS ? el("button.plain", { type: "button", onclick: (event) => { lines.forEach((line) => { line.hidden = false; }); event.currentTarget.remove(); } }, `Show all ${rows.length}`) : null;
  return el("section.errors", null, el("h2", null, "Where it goes wrong"),
    el("div.scroll", { tabindex: 0, role: "region", "aria-label": "Kinds of error by SQL feature" }, stacked(el("table", null,
      el("thead", null, el("tr", null, el("th", { scope: "col" }, "the gold has"), el("th.number", { scope: "col" }, "cases"), el("th.number", { scope: "col" }, "wrong"),
        kinds.map((kind) => el("th.number", { scope: "col", title: errorMeaning(kind) }, errorLabel(kind))))),
      el("tbody", null, lines)))), more,
    el("p.hint", null, "Wrong answers by SQL feature of the gold and kind of error (FLEX's kinds, from what differs between the queries; a case may have several). Stronger colour: a larger share of the cases with that feature."));
}
