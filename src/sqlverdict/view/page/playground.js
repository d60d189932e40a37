// A case with queries that can be changed and run; a button that exports the list.

function playground(position) {
  const golds = doc.cases.gold[position], id = doc.cases.id[position];
  const gold = el("textarea", { id: "try-gold", rows: 5, spellcheck: "false" });
  const prediction = el("textarea", { id: "try-prediction", rows: 5, spellcheck: "false" });
  gold.value = golds[0] || "";
  prediction.value = doc.results[state.answer].prediction[position] || "";
  const outcome = el("div.tried", { id: "tried", role: "status" });
  const button = el("button", { type: "button", id: "try-run" }, "Run both");
  let running = false;
  const run = async () => {
    // A button that is disabled would lose the focus.
    if (running) return;
    running = true;
    button.setAttribute("aria-disabled", "true");
    fill(outcome, el("p.quiet", null, "Running, proving, searching …"));
    try {
      const result = await ask("check", { run: shownRuns[state.answer], id, gold: gold.value, prediction: prediction.value });
      fill(outcome, triedResult(result, gold.value, prediction.value));
    } catch (error) {
      fill(outcome, el("p.failed", null, error.message));
    }
    running = false;
    button.removeAttribute("aria-disabled");
  };
  button.addEventListener("click", run);
  const keys = (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); run(); } };
  gold.addEventListener("keydown", keys);
  prediction.addEventListener("keydown", keys);
  return el("section.playground", { "aria-label": "Try queries" },
    el("h3", null, "Try queries"),
    el("div.try-queries", null,
      el("label", null, "Gold", gold), el("label", null, "Prediction", prediction)),
    el("p", null, button, el("span.quiet", null, " Ctrl+Enter. Queries only read; the run stays as it is.")),
    outcome);
}

function triedResult(result, gold, prediction) {
  const detail = result.detail;
  const scores = Object.entries(result.scores).map(([label, value]) => `${label} ${value === null ? "unscored" : value}`);
  return [
    el("div.verdict-line", null, verdictChip(result.verdict), el("span.quiet", null, `by the ${result.policy} policy · ${scores.join(" · ")}`)),
    detail.because ? el("p", null, detail.because[0].toUpperCase() + detail.because.slice(1) + ".") : null,
    detail.message ? el("p.failed", null, detail.message) : null,
    result.reasons.length ? el("ul.reasons", null, result.reasons.map((reason) => el("li", null, el("code", null, reason), " ", word("reason", reason)))) : null,
    detail.answers ? resultsSection(detail.answers) : null,
    (detail.evidence || []).map((piece) => evidenceSection(piece, [gold, prediction])),
  ];
}

/** Adds to what the report draws, whenever it draws it. */
new MutationObserver(() => {
  const pane = by("case");
  if (pane && selected >= 0 && pane.querySelector(".case-head") && !pane.querySelector(".playground"))
    pane.append(playground(selected));
  const buttons = document.querySelector(".list-buttons");
  if (buttons && !by("export-lines"))
    buttons.append(el("button", { type: "button", id: "export-lines", onclick: exportLines }, "JSONL"));
}).observe(by("main"), { childList: true, subtree: true });
