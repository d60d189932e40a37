// Evidence of a case: the witness as tables, the derivation as steps, everything else in words.

const TITLES = {
  proved: "Proof", refuted: "Witness", tested: "Test", related: "Relation", failed: "Failure", judged: "Judge",
  undecided: "Undecided", contradicted: "Contradiction", signs: "Signs of mistakes", recorded: "Record", openquestion: "Open question",
};

/** One piece of evidence as a section of the case; `names` are those of the two queries. */
function evidenceSection(piece, texts, names = SIDES) {
  const body = [];
  // Signs stand side by side; of other evidence the first sentence says what the rest explains.
  const [first, ...others] = piece.kind === "signs" ? ["", ...(piece.lines || [])] : piece.lines || [];
  if (first) body.push(el("p.lead", null, first));
  if (others.length) body.push(el("ul", null, others.map((line) => el("li", null, line.trim()))));
  if (piece.witness) body.push(witnessTables(piece.witness, texts, names));
  if (piece.proof && piece.proof.steps) body.push(derivation(piece.proof, names));
  return body.length ? el(`section.evidence.${piece.kind}`, null, el("h3", null, TITLES[piece.kind] || piece.kind), body) : null;
}

/** The values that only one of two answers returns, each with the columns that hold it. */
function differingValues(witness) {
  const values = new Map();
  if (witness.gold.failed || witness.prediction.failed) return values;
  const note = (cells, others, columns) => cells.forEach((cell, i) => {
    if (cell === null || others.includes(cell)) return;
    if (!values.has(cell)) values.set(cell, new Set());
    values.get(cell).add((columns[i] || "").toLowerCase());
  });
  for (const line of alignRows(witness.gold.rows || [], witness.prediction.rows || [])) {
    if (line.state === "same") continue;
    note(line.gold || [], line.prediction || [], witness.gold.columns || []);
    note(line.prediction || [], line.gold || [], witness.prediction.columns || []);
  }
  return values;
}

function witnessTables(witness, texts, sides) {
  const names = new Set(texts.flatMap((sql) => tokens(sql || "")).filter((token) => token.kind === "name").map((token) => token.same));
  const values = differingValues(witness);
  let marked = false, hasDeciding = false;
  const tables = Object.entries(witness.tables).map(([name, table]) => {
    const read = names.has(name.toLowerCase());
    const rowNumbers = new Set((witness.deciding_rows || {})[name]);
    hasDeciding ||= rowNumbers.size > 0;
    const rows = (table.rows || []).map((cells, number) => {
      const changed = new Set([...cells.keys()].filter((i) => read && cells[i] !== null && values.has(cells[i]) && values.get(cells[i]).has(table.columns[i].toLowerCase())));
      marked ||= changed.size > 0;
      return { cells, state: rowNumbers.has(number) ? "deciding" : "same", changed };
    });
    const figure = answerTable(name, table.columns || [], rows, read ? "" : "not read by the queries; the schema asks for it");
    if (!read) figure.classList.add("unread");
    return figure;
  });
  return el("div.witness", null,
    el("h4", null, "The database"),
    tables.length ? el("div.tables", null, tables) : el("p.quiet", null, "All tables are empty."),
    el("h4", null, "Both answers on it"),
    answerPair(witness.gold, witness.prediction, sides),
    witness.other ? answerPair(witness.gold, witness.other, sides.map((name) => `${name}, by another legal order of rows`)) : null,
    hasDeciding || marked ? el("p.hint", null,
      hasDeciding ? "● only one of the answers depends on this row. " : null,
      marked ? [el("mark", null, "Marked"), " in the database: values that only one of the answers returns."] : null) : null);
}

/** The derivation: the steps of each side, and the form that both end in. */
function derivation(proof, [gold, prediction]) {
  const sides = [["gold", gold], ["prediction", prediction], ["", "Further steps"]];
  const lists = sides.map(([side, title]) => {
    const steps = proof.steps.filter((step) => step.side === side);
    if (!steps.length) return null;
    return el("div.side", null, el("h4", null, `${title}: ${counted(steps.length, "step")}`), el("ol.steps", null, steps.map(proofStep)));
  });
  return el("div.derivation", null, el("div.sides", null, lists),
    proof.form ? el("div.form", null, el("h4", null, "Both are"), sqlBlock(proof.form)) : null);
}

function proofStep(step) {
  const name = step.side ? el("code.rule", null, step.rule) : step.rule;
  return el("li", null, name, step.facts ? el("span.facts", null, " because ", step.facts) : null,
    step.before || step.after ? changedSql(step.before || "", step.after || "") : null);
}

/** The SQL that a step changes, before and after it, with the words that differ marked. */
function changedSql(before, after) {
  const row = clauseRow({ name: "", tokens: tokens(before) }, { name: "", tokens: tokens(after) });
  const line = (sign, heard, list, only, tag) => el("div.change-line", null,
    el("span.sign", { "aria-hidden": "true" }, sign), el("span.only-heard", null, heard), list.length ? clauseLines(list, only, tag) : el("span.quiet", null, "nothing"));
  return el("div.change", null, line("−", "before: ", row.gold, row.onlyGold, "del"), line("+", "after: ", row.prediction, row.onlyPrediction, "ins"));
}
