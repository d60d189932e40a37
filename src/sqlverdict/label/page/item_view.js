// One pair: the question, both queries, their results, the witness and the tables in use.
"use strict";

// Text that could be taken for a number or NULL, or has spaces at its ends: it is shown in quotes.
page.misread = /^\s|\s$|^null$|^[-+.]?\d[\d.,eE+-]*$/i;

page.nullText = "NULL";

page.cell = (value) => {
  if (value === null) return page.make("td", { class: "null" }, page.nullText);
  const kind = typeof value === "number" ? "number" : undefined;
  const text = typeof value === "string" && page.misread.test(value) ? `'${value}'` : String(value);
  return page.make("td", { class: kind }, value === "" ? page.make("i", {}, "empty text") : text);
};

page.onlyHere = "the other query does not return this row";

page.table = (table, label, compact = false, meaning = page.onlyHere) => {
  const marks = new Set(table.marks || []);
  const sign = (marked) =>
    page.make("td", { class: "sign" }, ...(marked ? [page.make("span", { "aria-hidden": "true" }, "●"), page.make("span", { class: "only-heard" }, meaning)] : []));
  const body = (table.rows || []).map((row, number) =>
    page.make("tr", { class: marks.has(number) ? "only" : undefined }, marks.size ? sign(marks.has(number)) : null, ...row.map(page.cell))
  );
  const head = (table.columns || []).map((name) => page.make("th", { scope: "col" }, name || " "));
  if (marks.size) head.unshift(page.make("td", { class: "sign" }));
  return page.make(
    "div",
    { class: compact ? "scroll compact" : "scroll", tabindex: "0", role: "region", "aria-label": label },
    page.make("table", {}, page.make("thead", {}, page.make("tr", {}, ...head)), page.make("tbody", {}, ...body))
  );
};

page.resultText = (result) => {
  if (result.failure) return "";
  const rows = result.rows ? result.rows.length : 0;
  const count = result.count || 0;
  let text = page.count(count, "row");
  if (rows < count) text += `, ${rows} of them here`;
  return text;
};

page.result = (result, name, where) => {
  if (result.failure)
    return page.make("div", { class: "result" }, page.make("p", { class: "failure" }, result.failure));
  return page.make(
    "div",
    { class: "result" },
    page.make("p", { class: "count" }, page.resultText(result)),
    page.table(result, `What ${name} returns ${where}`)
  );
};

page.code = (query, name) => {
  const pieces = query.pieces.map(([text, kind = "", differs = false]) => {
    const space = text.match(/^\s*/)[0];
    const classes = [kind, differs ? "differs" : ""].filter(Boolean).join(" ");
    const piece = document.createDocumentFragment();
    piece.append(space, classes ? page.make("span", { class: classes }, text.slice(space.length)) : text.slice(space.length));
    return piece;
  });
  return page.make("pre", { class: "sql", tabindex: "0", role: "region", "aria-label": `Query ${name}` }, ...pieces);
};

page.query = (query, letter, title) =>
  page.make(
    "article",
    { class: `query ${letter.toLowerCase()}`, "aria-label": title },
    page.make("h2", {}, page.make("span", { class: "letter" }, letter), title === `Query ${letter}` ? null : title),
    page.code(query, letter),
    page.result(query.result, letter, "on the real database")
  );

page.difference = (item) => {
  const where = "On the real database both return the same rows";
  const texts = {
    same: `${where}.`,
    row_order: `${where}, in another order.`,
    column_order: `${where}, with their columns in another order.`,
  };
  if (!item.relation) return null;
  if (texts[item.relation]) return page.make("p", { class: "same" }, texts[item.relation]);
  const parts = [["A", item.a.result], ["B", item.b.result]]
    .filter(([, result]) => result.marked)
    .map(([name, result]) => `${page.count(result.marked, "row")} only in ${name}`);
  return page.make("p", { class: "differ" }, `On the real database the results differ: ${parts.join(", ")}.`);
};

page.onlyOne = "only one of the answers depends on this row";

page.marksNote = "● in a table: only one of the two answers depends on this row; in an answer: the other one lacks this row.";

// The tables of a small database; those that foreign keys alone need are folded.
page.witnessTables = (item) => {
  const figure = (table) =>
    page.make("figure", {}, page.make("figcaption", {}, table.name), page.table(table, `Table ${table.name}`, true, page.onlyOne));
  const folded = item.witness.filter((table) => table.only_for_keys);
  const shown = item.witness.filter((table) => !table.only_for_keys).map(figure);
  if (!folded.length) return shown;
  const names = folded.map((table) => table.name).join(", ");
  const rest = page.make(
    "details",
    { class: "for-keys" },
    page.make("summary", {}, `${page.count(folded.length, "table")} that the others refer to: ${names}`),
    page.make("div", { class: "figures" }, ...folded.map(figure))
  );
  return [...shown, rest];
};

page.witness = (item, realistic) => {
  if (!item.witness.length && !item.a.on_witness) return null;
  const tables = page.witnessTables(item);
  const answers = [["A", item.a.on_witness], ["B", item.b.on_witness]].map(([name, answer]) =>
    page.make(
      "figure",
      { class: `answer ${name.toLowerCase()}` },
      page.make("figcaption", {}, page.make("span", { class: "letter" }, name), ` returns ${answer.failure ? "" : page.resultText(answer)}`),
      answer.failure ? page.make("p", { class: "failure" }, answer.failure) : page.table(answer, `What ${name} returns there`, true)
    )
  );
  const content = page.make(
    "details",
    { class: "panel witness", open: true },
    page.make("summary", {}, "A small database on which they differ"),
    page.make("div", { class: "figures" }, ...tables, ...answers),
    item.witness.some((table) => table.marks) ? page.make("p", { class: "meta" }, page.marksNote) : null
  );
  if (realistic) content.append(realistic);
  return content;
};

page.schemaTitle = "Tables in use";
page.schemaOpen = false; // whoever opens the tables wants them on every item

page.schema = (item) => {
  if (!item.tables.length) return null;
  const tables = item.tables.map((table) => {
    const head = table.columns.map((column) =>
      page.make(
        "th",
        { scope: "col", title: column.text || undefined },
        column.name,
        page.make("small", {}, [column.type, column.key].filter(Boolean).join(" · "))
      )
    );
    const rows = table.rows.map((row) => page.make("tr", {}, ...row.map(page.cell)));
    const notes = table.columns.filter((column) => column.text).map((column) => `${column.name}: ${column.text}`);
    return page.make(
      "figure",
      {},
      page.make("figcaption", {}, table.name),
      page.make(
        "div",
        { class: "scroll compact", tabindex: "0", role: "region", "aria-label": `Sample of ${table.name}` },
        page.make("table", {}, page.make("thead", {}, page.make("tr", {}, ...head)), page.make("tbody", {}, ...rows))
      ),
      notes.length ? page.make("ul", { class: "notes" }, ...notes.map((note) => page.make("li", {}, note))) : null
    );
  });
  const panel = page.make(
    "details",
    { class: "panel schema", id: "schema", open: page.schemaOpen },
    page.make("summary", {}, `${page.schemaTitle}: ${item.tables.map((table) => table.name).join(", ")} `, page.make("kbd", {}, "T")),
    page.make("div", { class: "figures" }, ...tables)
  );
  panel.addEventListener("toggle", () => { page.schemaOpen = panel.open; });
  return panel;
};

page.question = (item, before) =>
  page.make(
    "section",
    { class: "question" },
    item.earlier ? page.make("ol", { class: "earlier", "aria-label": "Earlier questions of the conversation" }, ...item.earlier.map((text) => page.make("li", {}, text))) : null,
    page.make("h1", {}, item.question || "(no question)"),
    item.knowledge ? page.make("p", { class: "knowledge" }, item.knowledge) : null,
    page.make("p", { class: "meta" }, `${before}${item.id} · database ${item.db_id}`)
  );

page.showItem = (container, item, titles, realistic, before = "") => {
  page.fill(
    container,
    ...[
      page.question(item, before),
      page.difference(item),
      page.make("section", { class: "pair" }, page.query(item.a, "A", titles.a), page.query(item.b, "B", titles.b)),
      page.witness(item, realistic),
      page.schema(item),
    ].filter(Boolean)
  );
};

page.showEvidence = (container, evidence, names) => {
  const scores = Object.entries(evidence.scores).map(
    ([name, value]) => `${name} ${value === null ? "unscored" : value}`
  );
  const rows = [
    ["Query A", names ? names.a : evidence.first],
    ["Query B", names ? names.b : evidence.first === "gold" ? "prediction" : "gold"],
    ["System", evidence.systems.join(", ")],
    ["Verdict", evidence.verdict],
    ["Because", evidence.because],
    ["Metrics", scores.join(", ")],
    ["They differ when", evidence.witness_sentence],
    ...evidence.evidence.map((line, number) => [number ? "" : "Evidence", line]),
    ...evidence.golds.slice(1).map((gold) => ["Another gold", gold]),
  ].filter(([, text]) => text);
  page.fill(
    container,
    page.make("h2", {}, "What is known"),
    page.make("dl", {}, ...rows.flatMap(([name, text]) => [page.make("dt", {}, name), page.make("dd", {}, text)]))
  );
  container.hidden = false;
};

page.labelText = (label) =>
  ({
    right: "both answer", gold_wrong: "only the prediction",
    wrong: "only the gold", both_wrong: "neither", undecided: "can't tell",
  })[label] || label;
