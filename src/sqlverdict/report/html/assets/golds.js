// Golds that may be wrong, and the run's manifest.

function goldsView() {
  return el("section.view", { id: "golds", "aria-label": "Suspected golds", hidden: true });
}

function drawGolds() {
  fill(by("golds"), el("h1", null, "Golds that may be wrong"),
    el("p", null, `${counted(doc.suspects.length, "gold")} under suspicion, the most suspect first. The probability is that of a model fitted to people's labels; a suspect gold may be right.`),
    doc.suspects.length ? el("p", null, el("a", { href: listAddress({ suspect: "yes" }) }, "Their cases in the list")) : null,
    el("ol.suspects", null, doc.suspects.map(suspectItem)),
    doc.suspect_notes.length ? el("ul.notes", null, doc.suspect_notes.map((line) => el("li", null, line))) : null);
}

function suspectItem(suspect) {
  const position = doc.position.get(suspect.id);
  const question = position === undefined ? "" : asked(position);
  return el("li.suspect", null,
    el("div.suspect-line", null, el("strong.number", null, percent(suspect.rank, 0)), " ",
      position === undefined ? suspect.id : el("a", { href: caseLink(position, state.system) }, `${suspect.id}: ${question}`)),
    position === undefined ? null : doc.cases.gold[position].map((gold) => el("pre.query", null, gold)),
    el("ul", null, suspect.suspicions.map((line) => el("li", null, line)), suspect.features.map((line) => el("li.quiet", null, line))),
    suspect.answers.length ? el("details", null, el("summary", null, `What ${counted(suspect.answers.length, "system")} answered`),
      suspect.answers.map(([system, prediction, matches]) => el("div", null, el("h4", null, system, matches === null ? "" : matches ? ": matches the gold" : ": differs"), el("pre.query", null, prediction)))) : null);
}

function runView() {
  return el("section.view", { id: "run", "aria-label": "Run", hidden: true });
}

function drawRun() {
  const about = doc.systems[state.system];
  fill(by("run"), el("h1", null, "The run"), el("p", null, about.title),
    about.command ? [el("h2", null, "Command"), el("pre.query", null, about.command)] : null,
    el("section", null, el("h2", null, "Manifest"), textTable(about.manifest)),
    about.tables.map((table) => el("section", null, textTable({ ...table, title: table.title || "Reasons" }, "h2"))),
    el("section", null, el("h2", null, "Words"), el("dl.words", null, Object.entries(doc.words.part).map(([part, label]) => [el("dt", null, label), el("dd", null, word("part_meaning", part))]))),
    el("p.quiet", null, `sqlverdict ${doc.version}`));
}
