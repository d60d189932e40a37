// One case: question, verdict and why, both queries, results and evidence.

const chip = (kind, key, label) => el(`span.chip.${kind}-${key}`, null, label);
const partChip = (part) => el("span.chip", null, el(`span.swatch.part-${part}`, { "aria-hidden": "true" }), word("part", part));

const verdictChip = (verdict) => chip("verdict", verdict, markWords(verdict));

/** Whether a part of the evidence bar says something that the verdict beside it does not. */
const saysMore = (part, verdict) => part !== verdict && word("part", part) !== markWords(verdict);

/** Whether a sentence says just these words. */
const says = (sentence, words) => (sentence || "").toLowerCase() === `${words.toLowerCase()}.`;

let shownCase = null;

async function showCase(position, system, moved) {
  const pane = by("case");
  const key = `${position}/${system}`;
  if (shownCase === key) return;
  shownCase = key;
  const detail = await detailOf(position, system);
  if (shownCase !== key) return;
  keepFocus(() => fill(pane, caseHeader(position, system), caseBody(position, system, detail)));
  pane.scrollTop = 0;
  if (moved && focusIsLost()) by("case-title").focus({ preventScroll: true });
}

function clearCase() {
  shownCase = null;
  fill(by("case"), el("p.quiet.empty", null, "No case to show."));
}

function caseHeader(position, system) {
  const { cases } = doc, id = cases.id[position];
  const facts = [cases.db[position], cases.difficulty[position]].filter(Boolean);
  return el("header.case-head", null,
    el("div.case-line", null,
      el("button.back", { type: "button", onclick: () => go(listAddress()) }, "← List"),
      el("h2", { id: "case-title", tabindex: "-1" }, `Case ${id}`),
      el("span.quiet", null, facts.join(" · ")),
      doc.systems.length > 1 ? el("strong.only-printed", null, doc.systems[system].name) : null,
      el("span.case-tools", null,
        el("button", { type: "button", title: "previous case (k)", onclick: () => step(-1) }, "‹ Previous"),
        el("button", { type: "button", title: "next case (j)", onclick: () => step(1) }, "Next ›"),
        el("button", { type: "button", onclick: (event) => copy(location.href.split("#")[0] + caseLink(position, system), event.currentTarget) }, "Copy link"))),
    doc.systems.length > 1 ? systemSwitch(position, system) : null);
}

function systemSwitch(position, system) {
  return el("div.switch", { role: "group", "aria-label": "Systems" }, doc.systems.map((each, i) => {
    const verdict = doc.results[i].verdict[position];
    return el("button", { type: "button", "data-key": each.name, "aria-pressed": String(i === system), disabled: verdict === null, onclick: () => go(caseAddress(position, i)) },
      each.name, " ", verdict === null ? el("span.quiet", null, "absent") : verdictChip(verdict));
  }));
}

function caseBody(position, system, detail) {
  if (detail === null) return el("p", null, "The run of this system does not have this case.");
  const { cases } = doc, results = doc.results[system];
  const golds = cases.gold[position], prediction = results.prediction[position];
  const related = (detail.evidence || []).filter((piece) => piece.kind === "related" || piece.kind === "tested");
  const others = (detail.evidence || []).filter((piece) => !related.includes(piece));
  return [
    earlierTurns(position).length ? el("ol.earlier", { "aria-label": "Earlier questions of the conversation" }, earlierTurns(position).map((text) => el("li", null, text))) : null,
    el("p.question", null, cases.question[position] || "(no question)"),
    cases.knowledge[position] ? el("p.knowledge", null, cases.knowledge[position]) : null,
    whySection(position, system, detail),
    suspicionSection(cases.id[position]),
    queriesSection(golds, prediction, results.part[position]),
    detail.answers ? resultsSection(detail.answers) : null,
    related.map((piece) => evidenceSection(piece, [...golds, prediction])),
    others.map((piece) => evidenceSection(piece, [...golds, prediction])),
    scoresSection(position, system, detail),
  ];
}

/** What speaks against the gold, where an audit suspects it. */
function suspicionSection(id) {
  const suspect = (doc.suspects || []).find((each) => each.id === id);
  return suspect ? el("section.suspicion", null, el("h3", null, `The gold may be wrong: ${percent(suspect.rank, 0)}`),
    el("ul", null, suspect.suspicions.map((line) => el("li", null, line)))) : null;
}

/** The verdict, what the evidence amounts to, and the line of the policy table that applied. */
function whySection(position, system, detail) {
  const results = doc.results[system], about = doc.systems[system];
  const verdict = results.verdict[position], situation = results.situation[position];
  const reasons = results.reason[position];
  return el("section.why", { "aria-label": "Verdict" },
    el("div.verdict-line", null, verdictChip(verdict), saysMore(results.part[position], verdict) ? partChip(results.part[position]) : null,
      el("span.quiet", null, /^(in)?correct$/.test(verdict) ? "" : word("verdict", verdict) + " · ", `by ${about.deciding}`)),
    detail.first ? el("p.first-sentence", null, detail.first) : null,
    detail.because ? el(detail.first ? "p" : "p.first-sentence", null, detail.because[0].toUpperCase() + detail.because.slice(1) + ".") : null,
    detail.message ? el("p.failed", null, detail.message) : null,
    reasons.length ? el("ul.reasons", null, reasons.filter((reason) => !says(detail.first, word("reason", reason))).map((reason) => el("li", null, el("code", null, reason), " ", word("reason", reason)))) : null,
    situation ? policyLine(situation, about.policy) : null);
}

function policyLine(situation, own) {
  const names = Object.keys(doc.policies);
  return el("details.policy", null, el("summary", null, `Policy ${own || "results"}: `, el("code", null, situation), " → ",
    (doc.policies[own] || doc.policies.results)[situation]),
    textTable({ headers: ["situation", ...names], rows: [[situation, ...names.map((name) => doc.policies[name][situation])]], left: [0, 1, 2, 3] }),
    el("ul", null, names.map((name) => el("li", null, el("code", null, name), ": ", word("policy", name)))));
}

function queriesSection(golds, prediction, part) {
  const section = el("section.queries", { "aria-label": "Queries" });
  const none = part.startsWith("abstained") ? "The system abstained." : "There is no SQL in the reply.";
  if (!golds.length || !prediction || !prediction.trim()) {
    return put(section, [el("h3", null, "Queries"),
      golds.length ? golds.map((gold) => el("div", null, el("h4", null, "Gold"), sqlBlock(gold))) : el("p", null, "There is no gold: the question has no answer here."),
      el("h4", null, "Prediction"), prediction && prediction.trim() ? sqlBlock(prediction) : el("p", null, none)]);
  }
  const body = el("div", null);
  const show = (gold) => fill(body, clauseTable(gold, prediction));
  const choice = golds.length < 2 ? null : el("label", null, "Gold ", el("select", { onchange: (event) => show(golds[event.target.value]) },
    golds.map((_, i) => el("option", { value: i }, `${i + 1} of ${golds.length}`))));
  show(golds[0]);
  return put(section, [el("div.section-line", null, el("h3", null, "Queries, clause by clause"), choice), body,
    el("details.raw", null, el("summary", null, "As written"),
      golds.map((gold) => rawText("Gold", gold)), rawText("Prediction", prediction))]);
}

function rawText(title, text) {
  return el("div", null, el("div.section-line", null, el("h4", null, title),
    el("button", { type: "button", onclick: (event) => copy(text, event.currentTarget) }, "Copy")), el("pre.query", null, text));
}

function clauseTable(gold, prediction, [left, right] = ["Gold", "Prediction"]) {
  const rows = clauseRows(gold, prediction);
  const same = rows.every((row) => row.same);
  return [el("table.clauses", null,
    el("thead", null, el("tr", null, el("th", { scope: "col" }, "Clause"), el("th", { scope: "col" }, left), el("th", { scope: "col" }, right))),
    el("tbody", null, rows.map((row) => el("tr" + (row.same ? ".same" : ".differs"), null,
      el("th", { scope: "row" }, row.name.toUpperCase() || "–"),
      el("td", { "data-side": left }, row.gold.length ? sqlLines(row.gold, { only: row.onlyGold, tag: "del" }) : el("span.quiet", null, "none")),
      el("td", { "data-side": right }, row.prediction.length ? sqlLines(row.prediction, { only: row.onlyPrediction, tag: "ins" }) : el("span.quiet", null, "none")))))),
    same ? el("p.hint", null, "Both are the same except for case, quotes, spaces, aliases and tables before columns.") : null];
}

function scoresSection(position, system, detail) {
  const results = doc.results[system];
  const scores = Object.entries(results.scores).map(([label, column]) => [label, typeof column[position] === "number" ? String(Math.round(1000 * column[position]) / 1000) : column[position] || "unscored"]);
  const times = Object.entries(detail.seconds || {}).map(([name, seconds]) => [`time of ${name.replaceAll("_", " ")}`, `${(1000 * seconds).toFixed(seconds < 0.01 ? 2 : 0)} ms`]);
  const confidence = (results.confidence || [])[position];
  const facts = [...scores, ...(typeof confidence === "number" ? [["confidence", String(confidence)]] : []), ...times];
  const marks = [["Cases with the same difference", "tag"], ["With the same relation", "relation"]].filter(([, kind]) => results[kind][position].length);
  return el("section.scores", null, el("h3", null, "Scores"),
    el("dl.facts", null, facts.map(([name, value]) => el("div", null, el("dt", null, name), el("dd", null, value)))),
    marks.map(([title, kind]) => el("p", null, el("span.quiet", null, title + ": "), results[kind][position].map((key) => [
      el("a.mark-link", { href: listAddress({ [kind]: key }), title: word(kind, key) === key ? null : word(kind, key) }, key), " "]))));
}
