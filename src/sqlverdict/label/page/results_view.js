// One pair for people who do not read SQL: the small database in words and as tables, and both results.
"use strict";

page.resultBody = (result, letter, where) => {
  if (result.failure) return page.make("p", { class: "failure" }, "There is no result: it could not be computed.");
  if (!result.count) return page.make("p", {}, "The result is empty: it has no row.");
  return page.result(result, letter, where);
};

page.resultCard = (result, letter, title, where) =>
  page.make(
    "article",
    { class: `query ${letter.toLowerCase()}`, "aria-label": title },
    page.make("h2", {}, page.make("span", { class: "letter" }, letter), title === `Result ${letter}` ? null : title),
    page.resultBody(result, letter, where)
  );

page.resultCards = (item, titles, name, where) =>
  page.make(
    "section",
    { class: "pair results", "aria-label": `Both results ${where}` },
    page.resultCard(item.a[name], "A", titles.a, where),
    page.resultCard(item.b[name], "B", titles.b, where)
  );

// What is known about the columns of the small database: a code such as L says nothing by itself.
page.columnNotes = (item) => {
  const known = new Map(item.tables.map((table) => [table.name, table.columns]));
  const notes = item.witness.filter((table) => !table.only_for_keys).flatMap((table) =>
    (known.get(table.name) || [])
      .filter((column) => column.text && table.columns.includes(column.name))
      .map((column) => `${column.name}: ${column.text}`));
  return notes.length ? page.make("ul", { class: "notes" }, ...notes.map((text) => page.make("li", {}, text))) : null;
};

page.smallDatabase = (item, realistic) => {
  const panel = page.make(
    "section",
    { class: "panel witness", "aria-label": "A small database" },
    page.make("h2", {}, "Suppose the data were these"),
    page.make(
      "div",
      { class: "small-database" },
      page.make("ul", { class: "words" }, ...(item.words || []).map((text) => page.make("li", {}, text))),
      page.make("div", { class: "figures" }, ...page.witnessTables(item))
    ),
    page.columnNotes(item)
  );
  if (realistic) panel.append(realistic);
  return panel;
};

// What both give on the real data, folded: the small database shows where they differ.
page.onRealData = (item, titles) => {
  if (item.a.result.failure && item.b.result.failure) return null;
  return page.make(
    "details",
    { class: "panel" },
    page.make("summary", {}, "What A and B are on the real data"),
    page.difference(item),
    page.resultCards(item, titles, "result", "on the real data")
  );
};

page.showResults = (container, item, titles, realistic, before = "") => {
  const small = Boolean(item.a.on_witness);
  const parts = small
    ? [
        page.smallDatabase(item, realistic),
        page.make("p", { class: "differ" }, "Then these are the two results:"),
        page.resultCards(item, titles, "on_witness", "on the small database"),
        item.witness.some((table) => table.marks) ? page.make("p", { class: "meta" }, "● in a table: only one of the two results depends on this row; in a result: the other one lacks this row.") : null,
        page.onRealData(item, titles),
      ]
    : [
        page.make("p", { class: "meta" }, "No small database is known on which the two differ: these are the results on the real data."),
        page.difference(item),
        page.resultCards(item, titles, "result", "on the real data"),
      ];
  page.fill(
    container,
    ...[
      page.question(item, before),
      page.make("p", { class: "task" }, "Which result answers the question?"),
      ...parts,
      page.schema(item),
    ].filter(Boolean)
  );
};
