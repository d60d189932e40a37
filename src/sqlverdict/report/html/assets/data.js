// The document inside the page: the index at once, details of cases a block at a time.

let doc = null;
const blocks = new Map();

async function unpack(name) {
  const packed = atob(by("data-" + name).textContent);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

async function openDocument() {
  doc = await unpack("index");
  doc.position = new Map(doc.cases.id.map((id, i) => [id, i]));
  doc.count = doc.cases.id.length;
  return doc;
}

/** The details of a case in one system; null where its run lacks the case. */
async function detailOf(position, system) {
  const name = "block-" + Math.floor(position / doc.block);
  if (!blocks.has(name)) blocks.set(name, unpack(name));
  return (await blocks.get(name))[position % doc.block][system];
}

/** The questions of a conversation before the one of this case. */
const earlierTurns = (position) => doc.cases.earlier[position] || [];

/** The question in one line, first; behind it the earlier ones, without which it says little. */
function asked(position) {
  const before = earlierTurns(position), question = doc.cases.question[position];
  return before.length ? `${question} (after: ${before.join(" / ")})` : question;
}

const word = (kind, key) => (doc.words[kind] || {})[key] || key;

/** Whether a metric calls a case right: true, false (also where it calls it by a word), or null where it has no value. */
function isRight(system, metric, position) {
  const column = doc.results[system].scores[metric];
  const value = column ? column[position] : null;
  return value === null || value === undefined ? null : value >= 1;
}

/** What a metric calls a case: right, wrong, wrongly abstained, to review or unscored. */
function called(system, metric, position) {
  const value = doc.results[system].scores[metric]?.[position];
  if (typeof value === "string") return value;
  const right = isRight(system, metric, position);
  return right === null ? "unscored" : right ? "right" : "wrong";
}

function binaryMetrics(system) {
  return doc.systems[system].metrics.filter((each) => each.binary).map((each) => each.label);
}

/** How a case changed from one system to another under a metric. */
function changeOf(position, from, to, metric) {
  const before = isRight(from, metric, position), after = isRight(to, metric, position);
  if (before === null || after === null) return "unscored";
  if (before === after) return before ? "right in both" : "right in neither";
  return after ? "gained" : "lost";
}
