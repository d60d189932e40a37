// One screen, and one sheet of paper, for readers in a hurry: three numbers and three examples.

function summaryView() {
  return el("section.view", { id: "summary", "aria-label": "Summary", hidden: true });
}

let summarised = null;

async function drawSummary() {
  if (summarised === state.system) return;
  summarised = state.system;
  const system = state.system, about = doc.systems[system], examples = exampleCases(system);
  const cards = el("div.examples");
  fill(by("summary"),
    el("div.section-line", null, el("h1", null, `How good is ${about.name}?`), el("button", { type: "button", onclick: () => print() }, "Print")),
    about.alarms.map((line) => el("p.alarm", { role: "alert" }, line)),
    el("div.figures", null, summaryFigures(system).map(([value, title, detail, kind]) =>
      el(`div.figure.figure-${kind}`, null, el("strong.figure-value", null, value), el("span.figure-title", null, title), el("span.quiet", null, detail)))),
    verdictBar(system),
    examples.length ? el("h2", null, examples.length === 1 ? "An example" : "Examples") : null,
    cards,
    el("p.quiet.summary-foot", null, `${about.title} Right and wrong by ${about.deciding}.`, otherSystems(system)));
  const details = await Promise.all(examples.map((position) => detailOf(position, system)));
  if (state.system === system) fill(cards, examples.map((position, i) => exampleCard(position, system, details[i])));
}

/** Right, wrong, and what needs a second look: the metric that decides, with its own denominator. */
function summaryFigures(system) {
  const about = doc.systems[system], marks = markCounts(system), many = (mark) => marks.get(mark) || 0;
  const metric = about.metrics.find((each) => each.label === about.metric && each.binary) || about.metrics.find((each) => each.binary);
  const scored = metric ? metric.scored : doc.count - many("unscored");
  const right = metric ? metric.right : verdictCount(system, "correct") + many("abstained_right");
  const wrong = metric ? metric.wrong : many("incorrect");
  const lucky = many("lucky"), review = metric ? metric.review : many("needs_review");
  const look = [lucky ? `${number(lucky)} right by luck` : "", review ? `${number(review)} to review` : "", wrongByLuck(system)].filter(Boolean);
  const none = about.searched ? "none is right by luck, none is open" : "none is open; matches by luck were not searched";
  return [
    [scored ? percent(metric ? metric.value : right / scored, 0) : "–", "right", `${number(right)} of ${counted(scored, "question")}${metric && metric.low !== null ? `; 95% interval ${intervalText(metric)}` : ""}`, "good"],
    [number(wrong), wrong === 1 ? "wrong answer" : "wrong answers", scored ? `${percent(wrong / scored, 0)} of ${counted(scored, "question")}` : "nothing was scored", "bad"],
    [number(lucky + review), lucky + review === 1 ? "answer to look at" : "answers to look at", look.join(", ") || none, "mid"],
  ];
}

/** Matches by luck that the policy counts as wrong; they are among the wrong answers. */
function wrongByLuck(system) {
  const { verdict, part } = doc.results[system], many = part.filter((each, i) => each === "lucky" && verdict[i] === "incorrect").length;
  return many ? `${number(many)} ${many === 1 ? "match by luck is" : "matches by luck are"} counted as wrong` : "";
}

const BAR_VERDICTS = ["correct", "abstained_right", "needs_review", "unscored", "abstained_wrong", "incorrect"];

/** Every case by its verdict, in one bar with its legend. */
function verdictBar(system) {
  const verdicts = BAR_VERDICTS.map((verdict) => [verdict, verdictCount(system, verdict)]).filter(([, many]) => many);
  const address = (verdict) => listAddress({ verdict }, {}, system);
  const bar = el("div.bar", { "aria-hidden": "true" }, verdicts.map(([verdict, many]) => {
    const piece = el(`div.piece.solid-${verdict}`, { title: `${markWords(verdict)}: ${number(many)}`, onclick: () => go(address(verdict)) });
    piece.style.flexGrow = many;
    return piece;
  }));
  return el("div.verdict-bar", null, bar, el("ul.verdict-legend", { "aria-label": "Cases by verdict" }, verdicts.map(([verdict, many]) => el("li", null,
    el("a", { href: address(verdict) }, el(`span.swatch.solid-${verdict}`, { "aria-hidden": "true" }), markWords(verdict), " ", el("strong", null, number(many)))))));
}

/** A wrong answer, one that looks right and may not be, and a right one; the shortest question of each kind. */
function exampleCases(system) {
  const { verdict, part } = doc.results[system], all = [...verdict.keys()].filter((i) => verdict[i] !== null);
  const parts = (...names) => (i) => names.includes(part[i]);
  const marks = (...names) => (i) => names.includes(markOf(system, i));
  const kinds = [
    [parts("wrong", "judged_wrong"), marks("incorrect"), marks("abstained_wrong")],
    [marks("lucky"), parts("lucky"), marks("needs_review"), marks("abstained_wrong"), parts("failed", "blocked"), marks("incorrect")],
    [marks("abstained_right"), (i) => part[i] === "proved" && differs(system, i), marks("correct"), marks("lucky")],
  ];
  const chosenCases = [];
  for (const choices of kinds) {
    const choice = choices.find((each) => all.some((i) => each(i) && !chosenCases.includes(i)));
    const fitting = choice ? all.filter((i) => choice(i) && !chosenCases.includes(i)) : [];
    if (fitting.length) chosenCases.push(fitting.reduce((best, i) => (asked(i).length < asked(best).length ? i : best)));
  }
  return chosenCases;
}

const differs = (system, i) => doc.cases.gold[i].length > 0 && clauseRows(doc.cases.gold[i][0], doc.results[system].prediction[i] || "").some((row) => !row.same);

function exampleCard(position, system, detail) {
  const mark = markOf(system, position);
  return el("article.example", null,
    el("div.verdict-line", null, markSign(mark), el("strong", null, markWords(mark))),
    el("h3", null, el("a", { href: caseLink(position, system) }, asked(position) || `Case ${doc.cases.id[position]}`)),
    detail && detail.first ? el("p.example-first", null, detail.first) : null,
    detail ? exampleAnswers(detail) : null);
}

/** What was expected and what came, in a line each: on a small database where only that tells them apart. */
function exampleAnswers(detail) {
  const refuted = (detail.evidence || []).find((piece) => piece.witness);
  const { answers } = detail;
  const unlike = answers ? answers.rows.find((row) => row.state !== "same") : null;
  if (refuted && !unlike && !refuted.witness.gold.failed && !refuted.witness.prediction.failed) {
    const { gold, prediction } = refuted.witness;
    return answerLines("On a small database like it", rowText(gold.rows || [], gold.count), rowText(prediction.rows || [], prediction.count));
  }
  if (!answers) return null;
  const rows = (name) => [unlike || {}, ...answers.rows].map((row) => row[name]).filter(Boolean);
  return answerLines("", rowText(rows("gold"), answers.gold_count),
    answers.prediction_columns === null ? "no answer" : rowText(rows("prediction"), answers.prediction_count));
}

const answerLines = (title, expected, given) => el("dl.example-answers", null,
  title ? el("div.example-where", null, el("dt", null, title), el("dd", null)) : null,
  el("div", null, el("dt", null, "expected"), el("dd", null, expected)), el("div", null, el("dt", null, "answered"), el("dd", null, given)));

/** The first of some rows, and how many there are. */
function rowText(rows, count = rows.length) {
  if (!rows.length) return "nothing";
  const cells = rows[0].map((cell) => (cell === null ? "NULL" : shortened(cell.slice(1), 40)));
  return shortened(cells.join(" · "), 70) + (count > 1 ? ` … (${counted(count, "row")})` : "");
}

function otherSystems(system) {
  if (doc.systems.length < 2) return null;
  const others = doc.systems.map((_, i) => i).filter((i) => i !== system).slice(0, 6);
  return [" Others: ", others.map((i, at) => [at ? ", " : "", el("a", { href: "#summary?system=" + encodeURIComponent(doc.systems[i].name) }, doc.systems[i].name), " ", summaryFigures(i)[0][0]]), "."];
}
