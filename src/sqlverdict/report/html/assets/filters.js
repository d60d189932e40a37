// Which cases are shown: facets, a search, and the order. The state is in the page's address.

// `system` is the one that the list goes by, `answer` the one whose answer the case shows.
const state = { system: 0, answer: 0, filters: {}, query: "", order: "wrong", cases: [], counts: {} };

/** Each facet: its label, the values of a case, one or several, and how a value is called. */
const FACETS = {
  part: { label: "Evidence", of: (i) => doc.results[state.system].part[i], value: (part) => word("part", part) },
  verdict: { label: "Verdict", of: (i) => (isLucky(state.system, i) ? ["correct", "lucky"] : doc.results[state.system].verdict[i]), value: (verdict) => markWords(verdict) },
  reason: { label: "Reason", of: (i) => doc.results[state.system].reason[i] },
  situation: { label: "Situation", of: (i) => doc.results[state.system].situation[i] },
  tag: { label: "What differs", of: (i) => doc.results[state.system].tag[i] },
  error: { label: "Kind of error", of: (i) => errorsOf(state.system, i), value: errorLabel },
  relation: { label: "Relation", of: (i) => doc.results[state.system].relation[i] },
  difficulty: { label: "Difficulty", of: (i) => doc.cases.difficulty[i] || "unlabelled" },
  db: { label: "Database", of: (i) => doc.cases.db[i] },
  feature: { label: "SQL feature", of: (i) => doc.cases.feature[i] },
};

/** Conditions that other parts of the page set: a change against a system, a pair of metrics. */
const CONDITIONS = {
  change: {
    holds: (value, i) => { const [kind, from, metric] = value.split("|"); return changeOf(i, systemNumber(from), state.system, metric) === kind; },
    label: (value) => { const [kind, from, metric] = value.split("|"); return `${kind} against ${from}, by ${metric}`; },
  },
  pair: {
    holds: (value, i) => value.split("&").every((part) => { const [metric, wanted] = part.split("="); return called(state.system, metric, i) === wanted; }),
    label: (value) => value.split("&").map((part) => part.replace("=", " ")).join(", "),
  },
  systems: {
    holds: (value, i) => { const [who, metric] = value.split("|"); return rightSystems(i, metric) === who; },
    label: (value) => { const [who, metric] = value.split("|"); return `${who === "all" ? "every" : "no"} system is right, by ${metric}`; },
  },
  suspect: {
    holds: (_, i) => suspects().has(doc.cases.id[i]),
    label: () => "gold under suspicion",
  },
};

/** Whether all systems are right on a case or none is; "" where some are, or nothing is known. */
function rightSystems(position, metric) {
  const right = doc.systems.map((_, system) => isRight(system, metric, position));
  if (right.every((each) => each === true)) return "all";
  return right.every((each) => each !== true) && right.includes(false) ? "none" : "";
}

const suspects = () => (doc.suspectIds ||= new Set((doc.suspects || []).map((each) => each.id)));
const systemNumber = (name) => Math.max(0, doc.systems.findIndex((each) => each.name === name));

const ORDERS = {
  wrong: "Wrong first",
  right: "Right first",
  disagree: "Systems disagree first",
  benchmark: "Order of the benchmark",
  reverse: "Last of the benchmark first",
  evidence: "By evidence",
  confidence: "Least sure first",
};
const USUAL_ORDER = "wrong";

/** The orders that this document has something for. */
const orders = () => Object.entries(ORDERS).filter(([name]) =>
  (name !== "confidence" || doc.results[state.system].confidence.length) && (name !== "disagree" || doc.systems.length > 1));

/** What a cell of the list says: the verdict, or that a right answer is luck. */
const markOf = (system, i) => (isLucky(system, i) ? "lucky" : doc.results[system].verdict[i]);
const isLucky = (system, i) => doc.results[system].verdict[i] === "correct" && doc.results[system].part[i] === "lucky";

/** The marks, what is wrong first: symbol and words. */
const MARKS = {
  incorrect: ["✗", "wrong"],
  abstained_wrong: ["⊘", "abstained wrongly"],
  needs_review: ["?", "needs review"],
  unscored: ["–", "unscored"],
  lucky: ["✓", "right by luck"],
  correct: ["✓", "right"],
  abstained_right: ["○", "abstained correctly"],
};
const markWords = (mark) => (MARKS[mark] || [])[1] || mark;
const markRank = new Map(Object.keys(MARKS).map((mark, i) => [mark, i]));

const has = (value, wanted) => (Array.isArray(value) ? value.includes(wanted) : value === wanted);
const texts = new Map();

/** What a search looks at: id, question, database and both queries. */
function haystack(system) {
  if (!texts.has(system)) {
    const { cases } = doc, { prediction } = doc.results[system];
    texts.set(system, cases.id.map((id, i) =>
      `${id}\n${asked(i)}\n${cases.knowledge[i]}\n${cases.db[i]}\n${cases.gold[i].join("\n")}\n${prediction[i] || ""}`.toLowerCase()));
  }
  return texts.get(system);
}

/** Works out which cases are shown, and for each facet how many cases each of its values has. */
function applyFilters() {
  const words = state.query.toLowerCase().split(/\s+/).filter(Boolean);
  const hay = words.length ? haystack(state.system) : null;
  const facets = Object.entries(FACETS), conditions = Object.entries(CONDITIONS).filter(([name]) => state.filters[name]);
  const { part } = doc.results[state.system];
  state.counts = Object.fromEntries(facets.map(([name]) => [name, new Map()]));
  const cases = [];
  for (let i = 0; i < doc.count; i++) {
    if (part[i] === null) continue;
    if (hay && !words.every((each) => hay[i].includes(each))) continue;
    if (!conditions.every(([name, each]) => each.holds(state.filters[name], i))) continue;
    const failing = facets.filter(([name, facet]) => state.filters[name] !== undefined && !has(facet.of(i), state.filters[name]));
    if (!failing.length) cases.push(i);
    for (const [name, facet] of failing.length === 0 ? facets : failing.length === 1 ? failing : []) {
      const value = facet.of(i), counts = state.counts[name];
      for (const each of Array.isArray(value) ? value : [value]) if (each) counts.set(each, (counts.get(each) || 0) + 1);
    }
  }
  sortCases(cases, part);
  state.cases = cases;
}

function sortCases(cases, part) {
  const { confidence } = doc.results[state.system];
  const wrong = (i) => markRank.get(markOf(state.system, i));
  const kinds = (i) => new Set(doc.systems.map((_, system) => markOf(system, i)).filter(Boolean)).size;
  const ranks = new Map(Object.keys(doc.words.part).map((each, i) => [each, i]));
  const keys = {
    wrong, right: (i) => -wrong(i), disagree: (i) => -kinds(i), reverse: (i) => -i,
    evidence: (i) => ranks.get(part[i]), confidence: (i) => (typeof confidence[i] === "number" ? confidence[i] : Infinity),
  };
  const key = keys[state.order];
  if (!key) return;
  const values = new Map(cases.map((i) => [i, key(i)]));
  cases.sort((a, b) => (values.get(a) === values.get(b) ? a - b : values.get(a) - values.get(b)));
}

/** Reads the filters of an address such as `part=lucky&db=shop&q=singer`. */
function readFilters(text) {
  const fields = new URLSearchParams(text);
  state.filters = {};
  for (const name of [...Object.keys(FACETS), ...Object.keys(CONDITIONS)]) if (fields.has(name)) state.filters[name] = fields.get(name);
  state.query = fields.get("q") || "";
  state.order = ORDERS[fields.get("order")] ? fields.get("order") : USUAL_ORDER;
  if (fields.has("system")) state.system = systemNumber(fields.get("system"));
  state.answer = fields.has("answer") ? systemNumber(fields.get("answer")) : state.system;
}

/** The address of the list, with these filters or those that are set. */
function listAddress(filters = state.filters, more = filters === state.filters ? { q: state.query, order: state.order } : {}, system = state.system) {
  const fields = new URLSearchParams(filters);
  if (more.q) fields.set("q", more.q);
  if (more.order && more.order !== USUAL_ORDER) fields.set("order", more.order);
  if (doc.systems.length > 1) fields.set("system", doc.systems[system].name);
  const text = fields.toString();
  return "#cases" + (text ? "?" + text : "");
}

/** The address of a case in the list that is shown, with the answer of a system. */
function caseAddress(position, answer = state.answer) {
  const [, text] = listAddress(state.filters, { q: state.query, order: state.order }).split("?");
  const fields = new URLSearchParams(text);
  if (answer !== state.system) fields.set("answer", doc.systems[answer].name);
  return oneAddress(position, fields.toString());
}

/** The address of a case alone, without the list around it. */
const caseLink = (position, system) => oneAddress(position, listAddress({}, {}, system).split("?")[1]);
const oneAddress = (position, fields) => "#case-" + encodeURIComponent(doc.cases.id[position]) + (fields ? "?" + fields : "");

const valueLabel = (name, value) => (FACETS[name].value ? FACETS[name].value(value) : value);
const filterLabel = (name, value) => (CONDITIONS[name] ? CONDITIONS[name].label(value) : `${FACETS[name].label}: ${valueLabel(name, value)}`);
