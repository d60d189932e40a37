// The systems under several sets of golds: the table, what moves, and the evidence for each question.

function goldSetsView() {
  return el("section.view", { id: "goldsets", "aria-label": "Gold sets", hidden: true });
}

function drawGoldSets() {
  if (!doc.golds) return;
  const { tables, sentences, questions, first } = doc.golds;
  const moving = questions.filter((each) => each.moves.length), still = questions.filter((each) => !each.moves.length);
  fill(by("goldsets"), el("h1", null, `${counted(doc.systems.length, "system")} under several sets of golds`),
    el("ul.notes", null, sentences.map((line) => (line.startsWith("  ") ? el("li.inner", null, line.trim()) : el("li", null, line)))),
    tables.map((table) => el("section", null, textTable(table, "h2"))),
    el("p.hint", null, "95% intervals: of a value Wilson's; of a change, and of the difference between two systems, over pairs of the same cases. n is the number of cases behind each. A rank is by the value alone; equal values share one."),
    moving.length ? el("section", null, el("h2", null, "Questions that move systems"), el("ol.suspects", null, moving.map((each) => goldsQuestion(each, first)))) : null,
    still.length ? el("details", null, el("summary", null, `${counted(still.length, "question")} with other golds that move no system`),
      el("ol.suspects", null, still.map((each) => goldsQuestion(each, first)))) : null);
}

function goldsQuestion(each, first) {
  const position = doc.position.get(each.id), title = `${each.id}: ${each.question || "(no question)"}`;
  return el("li.suspect", null,
    el("div.suspect-line", null, el("span.chip", null, each.relation), " ",
      position === undefined ? title : el("a", { href: caseLink(position, state.system) }, title)),
    el("p", null, each.evidence, each.reason ? el("span.quiet", null, ` (${each.reason})`) : null),
    el("ul", null, each.moves.map(([system, how, before, after]) => el("li", null, el("strong", null, system), ` ${how}`,
      before || after ? el("ul.quiet", null, before ? el("li", null, `${first}: ${before}`) : null, after ? el("li", null, `${each.golds}: ${after}`) : null) : null))),
    each.before.length === 1 && each.after.length === 1 ? clauseTable(each.before[0], each.after[0], [first, each.golds])
      : [[first, each.before], [each.golds, each.after]].map(([name, golds]) => [el("h4", null, name), golds.map((gold) => sqlBlock(gold))]),
    each.detail ? goldsDetail(each, first) : null);
}

/** What both golds return, and the proof or witness; it is drawn when it is opened. */
function goldsDetail(each, first) {
  const body = el("div", null);
  const open = (event) => {
    if (!event.currentTarget.open || body.firstChild) return;
    const texts = [...each.before, ...each.after], { detail } = each;
    const names = [`Gold of ${first}`, `Gold of ${each.golds}`];
    put(body, [detail.answers ? resultsSection(detail.answers, names) : null, (detail.evidence || []).map((piece) => evidenceSection(piece, texts, names)),
      el("p.hint", null, `Where a sentence says “the prediction”, it means the gold of ${each.golds}.`)]);
  };
  return el("details", { ontoggle: open }, el("summary", null, "Both golds on the databases"), body);
}
