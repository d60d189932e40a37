// SQL for readers: tokens, clauses, lines, and what differs between two queries, clause by clause.

const TOKEN = /(\s+|--[^\n]*|\/\*[\s\S]*?\*\/)|('(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\])|(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)|([\p{L}_@$#][\p{L}\p{N}_$]*)|(<>|!=|<=|>=|\|\||->>|->|==|::|<<|>>|[\s\S])/uy;
const KEYWORDS = new Set(("select from where group order by having limit offset union intersect except all distinct as on using join left right full inner outer cross natural and or not in is null like glob between exists case when then else end cast with recursive values asc desc nulls first last over partition window filter rows range preceding following current row unbounded ilike similar escape fetch next only interval true false any some lateral qualify").split(" "));
const CLAUSES = new Set(["with", "select", "from", "where", "group by", "having", "window", "qualify", "order by", "limit", "offset", "union", "union all", "intersect", "except"]);
const JOINS = new Set(["join", "left", "right", "full", "inner", "cross", "natural"]);
const LARGEST_DIFFERENCE = 400000;

function tokens(sql) {
  const list = [];
  TOKEN.lastIndex = 0;
  for (let match; TOKEN.lastIndex < sql.length && (match = TOKEN.exec(sql)); ) {
    if (match[1] !== undefined) continue;
    const text = match[0];
    const lower = text.toLowerCase();
    let kind = "sign", same = text;
    if (match[2] !== undefined) {
      kind = text[0] === "'" ? "text" : "name";
      same = kind === "text" ? text : text.slice(1, -1).toLowerCase();
    } else if (match[3] !== undefined) kind = "number";
    else if (match[4] !== undefined) {
      kind = KEYWORDS.has(lower) ? "keyword" : "name";
      same = lower;
    }
    list.push({ text, kind, same, lower });
  }
  while (list.length && list.at(-1).text === ";") list.pop();
  const bare = withoutSchema(list);
  readAliases(bare);
  readQualifiers(bare);
  return list;
}

/** Takes an alias for the table that it stands for, so that T1.name and singer.name are the same. */
function readAliases(list) {
  const tables = new Map(), aliases = new Map(), declared = [];
  list.forEach((token, i) => {
    if (token.kind !== "name" || !list[i - 1] || !/^(from|join|,)$/.test(list[i - 1].lower)) return;
    const at = list[i + 1] && list[i + 1].lower === "as" ? i + 2 : i + 1, alias = list[at];
    const has = alias && alias.kind === "name" && (at === i + 2 || !list[at + 1] || list[at + 1].text !== ".");
    if (list[i - 1].text === "," && !has) return;
    if (!tables.has(token.same)) tables.set(token.same, new Set());
    tables.get(token.same).add(has ? alias.same : token.same);
    if (!has) return;
    aliases.set(alias.same, aliases.has(alias.same) && aliases.get(alias.same) !== token.same ? null : token.same);
    declared.push([i + 1, at, alias.same]);
  });
  const stands = (alias) => aliases.get(alias) && tables.get(aliases.get(alias)).size === 1;
  for (const [from, to, alias] of declared)
    if (stands(alias)) for (let i = from; i <= to; i++) list[i].quiet = true;
  list.forEach((token, i) => {
    if (token.kind === "name" && list[i + 1] && list[i + 1].text === "." && stands(token.same)) token.same = aliases.get(token.same);
  });
}

/** The clause that starts at a token: its name, in small letters, or "". */
function clauseAt(list, i) {
  const { lower, kind } = list[i];
  if (kind !== "keyword") return "";
  const next = list[i + 1] ? list[i + 1].lower : "";
  if ((lower === "group" || lower === "order") && next === "by") return lower + " by";
  if (lower === "union" && next === "all") return "union all";
  return CLAUSES.has(lower) ? lower : "";
}

/** A query cut into its outermost clauses. */
function clauses(list) {
  const parts = [];
  let depth = 0;
  for (let i = 0; i < list.length; i++) {
    const token = list[i];
    if (token.text === "(") depth++;
    if (token.text === ")") depth = Math.max(0, depth - 1);
    const name = depth === 0 ? clauseAt(list, i) : "";
    if (name || !parts.length) parts.push({ name, tokens: [] });
    const part = parts.at(-1);
    part.tokens.push(token);
    if (name.includes(" ")) part.tokens.push(list[++i]);
  }
  return parts;
}

/** The longest common subsequence: pairs of positions. */
function commonPairs(left, right, equal) {
  const n = left.length, m = right.length;
  if (n * m > LARGEST_DIFFERENCE) return [];
  const length = Array.from({ length: n + 1 }, () => new Uint16Array(m + 1));
  for (let i = n - 1; i >= 0; i--)
    for (let j = m - 1; j >= 0; j--)
      length[i][j] = equal(left[i], right[j]) ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
  const pairs = [];
  for (let i = 0, j = 0; i < n && j < m; ) {
    if (equal(left[i], right[j])) pairs.push([i++, j++]);
    else if (length[i + 1][j] >= length[i][j + 1]) i++;
    else j++;
  }
  return pairs;
}

/** Both queries side by side: one row a clause, with the tokens that only one of them has. */
function clauseRows(gold, prediction) {
  const left = clauses(tokens(gold)), right = clauses(tokens(prediction));
  const pairs = commonPairs(left, right, (a, b) => a.name === b.name);
  const rows = [];
  let i = 0, j = 0;
  for (const [a, b] of [...pairs, [left.length, right.length]]) {
    while (i < a) rows.push(clauseRow(left[i++], null));
    while (j < b) rows.push(clauseRow(null, right[j++]));
    if (a < left.length) rows.push(clauseRow(left[i++], right[j++]));
  }
  return rows;
}

function clauseRow(gold, prediction) {
  const left = gold ? gold.tokens : [], right = prediction ? prediction.tokens : [];
  const codeTokens = (list) => [...list.keys()].filter((i) => !list[i].quiet);
  const leftKeys = codeTokens(left), rightKeys = codeTokens(right);
  const row = { name: (gold || prediction).name, gold: left, prediction: right, onlyGold: new Set(leftKeys), onlyPrediction: new Set(rightKeys) };
  for (const [a, b] of commonPairs(leftKeys, rightKeys, (i, j) => sameToken(left[i], right[j]))) {
    row.onlyGold.delete(leftKeys[a]);
    row.onlyPrediction.delete(rightKeys[b]);
  }
  row.same = !row.onlyGold.size && !row.onlyPrediction.size;
  withQualifiers(left, row.onlyGold);
  withQualifiers(right, row.onlyPrediction);
  return row;
}

const tightBefore = new Set([",", ")", ".", ";", "::"]);
const tightAfter = new Set(["(", ".", "::"]);

function spaced(before, token) {
  if (!before || tightBefore.has(token.text) || tightAfter.has(before.text)) return false;
  return !(token.text === "(" && before.kind === "name");
}

/** Tokens as lines: joins, conditions and subqueries start a line of their own. */
function sqlLines(list, { only = null, tag = "mark" } = {}) {
  const code = el("code.sql");
  const open = [];
  let mark = null, before = null;
  list.forEach((token, i) => {
    const marked = only !== null && only.has(i);
    const line = before && startsLine(list, i, open);
    if (token.text === ")") open.pop();
    const space = line ? "\n" + " ".repeat(4 * open.filter(Boolean).length + (line === "clause" ? 0 : 2)) : spaced(before, token) ? " " : "";
    if (token.text === "(") open.push(Boolean(list[i + 1] && /^(select|with)$/.test(list[i + 1].lower)));
    if (!marked || !mark) {
      code.append(space);
      mark = null;
    } else mark.append(space);
    if (marked && !mark) code.append((mark = el(tag)));
    (marked ? mark : code).append(token.kind === "sign" || token.kind === "name" ? visible(token.text) : el("span." + token.kind, null, token.text));
    before = token;
  });
  return code;
}

function startsLine(list, i, open) {
  const token = list[i], inside = open.length && open.at(-1);
  if (inside && list[i - 1].text === "(") return "clause";
  if (token.text === ")" && inside) return "closing";
  if (open.length && !inside) return "";
  if (inside && clauseAt(list, i)) return "clause";
  if (token.kind !== "keyword") return "";
  if (token.lower === "and" || token.lower === "or") return isBetween(list, i) ? "" : "inside";
  const joins = JOINS.has(token.lower) && !JOINS.has(list[i - 1].lower) && list[i - 1].lower !== "outer";
  return joins && (!list[i + 1] || list[i + 1].text !== "(") ? "inside" : "";
}

/** Whether an AND belongs to BETWEEN. */
function isBetween(list, i) {
  if (list[i].lower !== "and") return false;
  for (let j = i - 1; j >= 0 && i - j < 12; j--) {
    if (list[j].lower === "between") return true;
    if (list[j].lower === "and" || list[j].lower === "or") return false;
  }
  return false;
}

/** Tokens with marks, each clause on a line of its own. */
function clauseLines(list, only, tag) {
  let start = 0;
  return el("div", null, clauses(list).map((part) => {
    const first = start;
    start += part.tokens.length;
    const inPart = new Set([...only].filter((i) => i >= first && i < start).map((i) => i - first));
    return el("div", null, sqlLines(part.tokens, { only: inPart, tag }));
  }));
}

/** One query, formatted. */
function sqlBlock(sql) {
  const list = tokens(sql);
  const block = el("pre.query");
  clauses(list).forEach((part, i) => put(block, [i ? "\n" : "", sqlLines(part.tokens)]));
  return block;
}
