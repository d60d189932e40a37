// Reliability: RS(c) for any penalty and threshold, computed here, beside the command's own tables.

const chosen = { penalty: 10, threshold: null };

function reliabilityView() {
  return el("section.view", { id: "reliability", "aria-label": "Reliability", hidden: true });
}

function drawReliability() {
  const part = doc.systems[state.system].reliability;
  if (!part) {
    fill(by("reliability"), el("h1", null, "Reliability"), el("p", null, "This run has no abstentions, no unanswerable questions and no confidences."));
    return;
  }
  chosen.threshold = null;
  const { confidence } = doc.results[state.system];
  const levels = [...new Set(confidence.filter((each) => typeof each === "number"))].sort((a, b) => a - b);
  const box = el("div.rs", { id: "rs", "aria-live": "polite" });
  const redraw = () => fill(box, scoreFigures());
  fill(by("reliability"), el("h1", null, "Reliability"),
    el("p", null, `A right answer and a right abstention count 1, another abstention and what is to review 0, and harm costs c. Right by ${part.source}.`),
    el("div.sliders", null,
      slider("penalty", "Penalty c", 0, 100, 1, chosen.penalty, (value) => { chosen.penalty = value; redraw(); return String(value); }),
      levels.length ? slider("threshold", "Abstain below confidence", 0, levels.length, 1, 0, (value) => {
        chosen.threshold = value === 0 ? null : levels[value] ?? Infinity;
        redraw();
        return value === 0 ? "answer all" : value === levels.length ? "answer none" : String(levels[value]);
      }) : null),
    box,
    Object.keys(part.charts).length ? el("section", null, el("h2", null, "Charts"), el("div.charts", null, Object.entries(part.charts).map(([title, text]) =>
      el("img", { alt: title, src: "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text) })))) : null,
    part.tables.map((table) => textTable(table, "h2")),
    part.sentences.length ? el("ul.notes", null, part.sentences.map((line) => el("li", null, line))) : null);
}

function slider(id, label, min, max, step_, value, change) {
  const output = el("output", { for: id });
  const input = el("input", { id, type: "range", min, max, step: step_, value, oninput: (event) => { output.textContent = change(Number(event.target.value)); } });
  output.textContent = change(value);
  return el("label.slider", null, el("span", null, label), input, output);
}

/** The cells of a system's outcome table, where answers below the threshold become abstentions. */
function outcomes(system, threshold) {
  const cells = { correct: 0, wrong: 0, needs_review: 0, abstained_answerable: 0, answered_unanswerable: 0, abstained_unanswerable: 0 };
  const { confidence } = doc.results[system];
  doc.systems[system].reliability.cells.forEach((cell, i) => {
    if (cell === null) return;
    const abstains = threshold !== null && typeof confidence[i] === "number" && confidence[i] < threshold;
    if (abstains && ["correct", "wrong", "needs_review"].includes(cell)) cell = "abstained_answerable";
    if (abstains && cell === "answered_unanswerable") cell = "abstained_unanswerable";
    cells[cell]++;
  });
  return cells;
}

const items = (cells) => Object.values(cells).reduce((sum, many) => sum + many, 0);

function reliabilityScore(cells, penalty) {
  const total = items(cells);
  return total ? (100 * (cells.correct + cells.abstained_unanswerable - penalty * (cells.wrong + cells.answered_unanswerable))) / total : null;
}

const NAMES = {
  correct: "answered correctly", wrong: "answered wrongly", needs_review: "answered, to review", abstained_answerable: "abstained, though there is an answer",
  answered_unanswerable: "answered, though there is no answer", abstained_unanswerable: "abstained correctly",
};

function scoreFigures() {
  const cells = outcomes(state.system, chosen.threshold), score = reliabilityScore(cells, chosen.penalty);
  return [
    el("p.rs-score", null, el("span", null, `RS(${chosen.penalty})`), " ", el("strong", { id: "rs-value" }, scoreText(score)), el("span.quiet", null, ` n ${number(items(cells))}`)),
    el("dl.facts", null, Object.entries(NAMES).map(([name, label]) => el("div", null, el("dt", null, label), el("dd", null, number(cells[name]))))),
    rankedSystems(),
  ];
}

const scoreText = (score) => (score === null ? "–" : score.toFixed(1));

/** All systems at this penalty, the most reliable first. The threshold is the chosen system's own:
 *  confidences of different systems are not on one scale. */
function rankedSystems() {
  const systems = doc.systems.map((each, i) => {
    if (each.reliability.source !== doc.systems[state.system].reliability.source) return null;
    const threshold = i === state.system ? chosen.threshold : null, cells = outcomes(i, threshold);
    return { name: each.name + (threshold === null ? "" : " (with the threshold)"), cells, score: reliabilityScore(cells, chosen.penalty) };
  }).filter((each) => each && each.score !== null);
  if (systems.length < 2) return null;
  systems.sort((a, b) => b.score - a.score);
  const best = systems[0], most = systems.reduce((a, b) => (b.cells.correct > a.cells.correct ? b : a));
  return el("section", { id: "rs-systems" },
    textTable({
      title: `All systems by RS(${chosen.penalty})`,
      headers: ["system", `RS(${chosen.penalty})`, "n", ...Object.values(NAMES)],
      rows: systems.map((each) => [each.name, scoreText(each.score), number(items(each.cells)), ...Object.keys(NAMES).map((name) => number(each.cells[name]))]),
    }, "h2"),
    most.cells.correct > best.cells.correct && most.score < best.score
      ? el("p", null, `${most.name} answers the most questions correctly, but its wrong answers cost it the first place.`) : null);
}
