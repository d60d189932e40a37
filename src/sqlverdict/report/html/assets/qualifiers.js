// Columns with and without their table: `age` and `singer.age` are the same where `age` can mean nothing else.

const AFTER_FROM = /^(where|group|having|window|qualify|order|limit|offset|fetch|union|intersect|except|select)$/;

/** The tokens without the schema that a table is in if none is named: `main.singer` in FROM is singer. */
function withoutSchema(list) {
  const isSchema = (token, i) => token.kind === "name" && /^(main|public)$/.test(token.same) && list[i + 1]?.text === "." && list[i + 2]?.kind === "name";
  // A table or an alias may have that name.
  const others = new Set(list.filter((token, i) => token.kind === "name" && !isSchema(token, i)).map((token) => token.same));
  list.forEach((token, i) => {
    if (!isSchema(token, i) || others.has(token.same) || !/^(from|join|,)$/.test(list[i - 1]?.lower)) return;
    token.quiet = list[i + 1].quiet = true;
  });
  return list.filter((token) => !token.quiet);
}

/** Gives each column its table, if it is named, and its scope; the names of tables before columns become quiet. */
function readQualifiers(list) {
  // Joins by USING and NATURAL merge columns, and an output's name comes before a column's in ORDER BY.
  const merges = list.some((token) => token.lower === "using" || token.lower === "natural");
  const outputs = new Set(list.filter((token, i) => token.kind === "name" && isOutputName(list, i)).map((token) => token.same));
  const scopes = tokenScopes(list);
  list.forEach((token, i) => {
    if (token.kind !== "name" && token.text !== "*") return;
    token.scope = merges || outputs.has(token.same) ? null : scopes[i];
    if (i < 2 || list[i - 1].text !== "." || list[i - 2].kind !== "name" || scopes[i].names.has(i)) return;
    token.table = list[i - 2].same;
    list[i - 1].quiet = list[i - 2].quiet = true;
  });
}

/** Whether a name names an output or a table anew: it stands behind AS, or behind a whole expression. */
function isOutputName(list, i) {
  const before = list[i - 1];
  return Boolean(before) && (/^(as|end)$/.test(before.lower) || before.text === ")" || /^(name|number|text)$/.test(before.kind));
}

/** For each token the SELECT that it is in: the tables of its FROM, and where their names stand. */
function tokenScopes(list) {
  const newScope = () => ({ tables: [], names: new Set(), from: false });
  const open = [newScope()], parens = [];
  return list.map((token, i) => {
    if (token.text === "(") {
      const inner = /^(select|with)$/.test(list[i + 1]?.lower);
      parens.push(inner);
      if (inner) open.push(newScope());
    } else if (token.text === ")" && parens.pop()) open.pop();
    else if (!parens.length || parens.at(-1)) {
      // Each SELECT of a UNION has tables of its own.
      if (token.lower === "select" && open.at(-1).tables.length) open[open.length - 1] = newScope();
      const scope = open.at(-1);
      if (token.kind === "keyword" && AFTER_FROM.test(token.lower)) scope.from = false;
      if (token.kind === "keyword" && token.lower === "from") scope.from = true;
      if (scope.from && token.kind === "name" && /^(from|join|,)$/.test(list[i - 1].lower)) noteTable(list, i, scope);
    }
    return open.at(-1);
  });
}

/** Notes a table of FROM by its last name: `main.singer` is singer. */
function noteTable(list, i, scope) {
  let last = i;
  while (list[last + 1]?.text === "." && list[last + 2]?.kind === "name") last += 2;
  for (let at = i; at <= last; at++) scope.names.add(at);
  if (list[last + 1]?.text !== "(") scope.tables.push(list[last].same);
}

/** Whether two tokens say the same: one may leave out a table that it cannot but mean. */
function sameToken(left, right) {
  if (left.same !== right.same) return false;
  if (left.table === right.table) return true;
  const [bare, qualified] = left.table === undefined ? [left, right] : [right, left];
  if (bare.table !== undefined || !bare.scope || !qualified.scope) return false;
  // Both queries run, so that a name without a table is a column of one table alone.
  const once = (scope) => scope.tables.filter((table) => table === qualified.table).length === 1;
  return once(bare.scope) && once(qualified.scope) && (bare.same !== "*" || bare.scope.tables.length === 1);
}

/** Adds to marked columns the tables that they are named with. */
function withQualifiers(list, only) {
  for (const i of [...only]) if (list[i].table !== undefined && list[i - 1]?.text === ".") only.add(i - 1).add(i - 2);
  return only;
}
