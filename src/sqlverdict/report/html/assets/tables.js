// Tables: those of the terminal report, answers side by side, and the tables of a witness.

/** A table whose rows become blocks on a narrow screen: each cell says what it is. */
function stacked(table) {
  const heads = [...table.querySelectorAll("thead tr > *")].map((head) => head.textContent);
  for (const row of table.querySelectorAll("tbody tr"))
    [...row.children].forEach((cell, i) => { if (i && heads[i]) cell.dataset.label = heads[i]; });
  table.classList.add("stacked");
  return table;
}

/** A table of the terminal report. */
function textTable(table, level = "h3") {
  const words = new Set(table.left || [0]);
  const kind = (i) => (words.has(i) ? "" : ".number");
  return el("figure.table", null,
    table.title ? el("figcaption", null, el(level, null, table.title)) : null,
    el("div.scroll", { tabindex: 0, role: "region", "aria-label": table.title || table.headers.filter(Boolean).join(", ") },
      stacked(el("table", null,
        el("thead", null, el("tr", null, table.headers.map((text, i) => el("th" + kind(i), { scope: "col" }, text)))),
        el("tbody", null, table.rows.map((row) => el("tr", null,
          row.map((text, i) => (i === 0 ? el("th" + kind(i), { scope: "row" }, text) : el("td" + kind(i), null, text))))))))));
}

/** Text that could be taken for a number or NULL, or has spaces at its ends: it is shown in quotes. */
const MISREAD = /^$|^\s|\s$|^null$|^[-+.]?\d[\d.,eE+-]*$/i;
const isNumber = (cell) => typeof cell === "string" && cell[0] === "n";

/** A cell of an answer: a letter for its kind, then its text; null is NULL. */
function answerCell(cell, changed) {
  if (cell === undefined) return el("td.absent", null);
  const kind = cell === null ? "null" : isNumber(cell) ? "number" : cell[0] === "b" ? "blob" : "string";
  const plain = cell === null ? "NULL" : cell.slice(1);
  const text = kind === "string" && MISREAD.test(plain) ? `'${plain}'` : plain;
  return el(`td.cell.${kind}` + (changed ? ".changed" : ""), null, changed ? el("mark", null, text) : text);
}

const STATE = {
  same: ["", "in both"],
  changed: ["≠", "differs"],
  missing: ["−", "only in the gold"],
  extra: ["+", "only in the prediction"],
  deciding: ["●", "only one of the answers depends on this row"],
};

/** An answer as a table; rows are `{cells, state, changed}`. */
function answerTable(title, columns, rows, note) {
  const marked = rows.some((row) => row.state !== "same");
  const numeric = (i) => rows.some((row) => row.cells && isNumber(row.cells[i])) && rows.every((row) => !row.cells || row.cells[i] === null || isNumber(row.cells[i]));
  return el("figure.answer", null,
    el("figcaption", null, el("strong", null, title), note ? el("span.quiet", null, " " + note) : null),
    el("div.scroll", { tabindex: 0, role: "region", "aria-label": title },
      el("table.cells", null,
        el("thead", null, el("tr", null,
          marked ? el("td.state", null) : null,
          columns.length ? columns.map((name, i) => el(numeric(i) ? "th.number" : "th", { scope: "col" }, name || " ")) : el("th", { scope: "col" }, "no column"))),
        el("tbody", null, rows.map((row) => row.cells === null
          ? el("tr.gap", null, el("td.state", null), el("td", { colspan: Math.max(1, columns.length) }, " "))
          : el("tr." + row.state, null,
            marked ? el("td.state", null, el("span", { "aria-hidden": "true" }, STATE[row.state][0]), el("span.only-heard", null, STATE[row.state][1])) : null,
            row.cells.map((cell, i) => answerCell(cell, row.changed && row.changed.has(i)))))))));
}

const rowKey = (row) => JSON.stringify(row);

/** Rows of two answers, aligned: equal ones, then changed ones, then those of one side alone. */
function alignRows(gold, prediction) {
  const left = new Map();
  gold.forEach((row, i) => {
    const key = rowKey(row);
    if (!left.has(key)) left.set(key, []);
    left.get(key).push(i);
  });
  const lines = [], rest = new Set(gold.keys()), extra = [];
  prediction.forEach((row) => {
    const same = left.get(rowKey(row));
    if (same && same.length) {
      rest.delete(same[0]);
      lines.push({ gold: gold[same.shift()], prediction: row, state: "same" });
    } else extra.push(row);
  });
  for (const i of rest) {
    let best = -1, most = 0;
    extra.forEach((row, j) => {
      const alike = row.length === gold[i].length ? row.filter((cell, k) => cell === gold[i][k]).length : 0;
      if (alike > most) [best, most] = [j, alike];
    });
    if (best < 0 && gold.length === 1 && prediction.length === 1 && gold[i].length === extra[0].length) best = 0;
    lines.push({ gold: gold[i], prediction: best < 0 ? null : extra.splice(best, 1)[0], state: best < 0 ? "missing" : "changed" });
  }
  for (const row of extra) lines.push({ gold: null, prediction: row, state: "extra" });
  return lines;
}

/** What the two queries of a case are called. */
const SIDES = ["Gold", "Prediction"];

/** Two answers side by side, with what differs marked. */
function answerPair(gold, prediction, [left, right]) {
  const lines = gold.failed || prediction.failed ? null : alignRows(gold.rows || [], prediction.rows || []);
  return el("div.pair", null, oneAnswer("gold", gold, lines, left), oneAnswer("prediction", prediction, lines, right));
}

function oneAnswer(side, answer, lines, name) {
  if (answer.failed) return el("figure.answer", null, el("figcaption", null, el("strong", null, name)), el("p.failed", null, answer.failed));
  const rows = answer.rows || [], columns = answer.columns || [];
  const count = answer.count === undefined ? rows.length : answer.count;
  const note = counted(count, "row") + (count > rows.length ? `, the first ${number(rows.length)}` : "");
  if (!lines) return answerTable(name, columns, rows.map((cells) => ({ cells, state: "same" })), note);
  return answerTable(name, columns, lines.map((line) => {
    const cells = line[side];
    const other = line[side === "gold" ? "prediction" : "gold"];
    const changed = line.state === "changed" ? new Set([...cells.keys()].filter((i) => cells[i] !== other[i])) : null;
    return { cells, state: line.state, changed };
  }), note);
}

/** What both queries returned on the real database, as the run log keeps it. */
function resultsSection(answers, [left, right] = SIDES) {
  const note = (many, here) => counted(many, "row") + (many > here ? `, ${number(here)} shown` : "");
  const side = (name, changed) => answers.rows.map((row) => ({ cells: row[name] || null, state: row.state, changed: new Set(row[changed] || []) }));
  const countOf = (name) => answers.rows.filter((row) => row[name]).length;
  return el("section.results", null, el("h3", null, "Results on the real database"),
    el("div.pair", null,
      answerTable(answers.gold ? `${left} ${answers.gold + 1}` : left, answers.gold_columns, side("gold", "gold_changed"), note(answers.gold_count, countOf("gold"))),
      answers.prediction_columns === null
        ? el("figure.answer", null, el("figcaption", null, el("strong", null, right)), el("p.failed", null, "It gave no answer."))
        : answerTable(right, answers.prediction_columns, side("prediction", "prediction_changed"), note(answers.prediction_count, countOf("prediction")))),
    (answers.notes || []).length ? el("p.hint", null, answers.notes.join(" ")) : null);
}

/** A value with its interval on a line from 0 to 100 percent. */
function intervalBar(metric) {
  if (metric.value === null) return el("span.quiet", null, "unscored");
  const at = (value) => (2 + 96 * Math.min(1, Math.max(0, value))).toFixed(2);
  const picture = svg("svg", { viewBox: "0 0 100 10", class: "interval", "aria-hidden": "true", preserveAspectRatio: "none" },
    svg("line", { x1: 2, x2: 98, y1: 5, y2: 5, class: "axis" }),
    metric.low === null ? null : svg("line", { x1: at(metric.low), x2: at(metric.high), y1: 5, y2: 5, class: "range" }),
    svg("line", { x1: at(metric.value), x2: at(metric.value), y1: 1, y2: 9, class: "point" }));
  return picture;
}

const intervalText = (metric) => (metric.low === null ? "–" : `${(100 * metric.low).toFixed(1)} to ${(100 * metric.high).toFixed(1)}`);
