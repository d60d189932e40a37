// The adjudicator's page: pairs on which annotators disagree, their votes, and a decision with its reason.
"use strict";

(() => {
  const { byId, make, fill, store } = page;
  const names = { only_a: "Only gold", only_b: "Only prediction", skip: null };
  const PAUSE = 5000; // milliseconds between two looks for new votes
  let disputes = [];
  let pair = ""; // the pair on the page
  let choice = "";

  // A kappa as text: none where it has no meaning.
  const kappa = (value) => (value === null || value === undefined ? "–" : value.toFixed(2));

  const kappaText = (agreement) => {
    if (!agreement) return "";
    const texts = agreement.pairs
      .filter((each) => each.n > 0)
      .map((each) => `κ ${kappa(each.kappa)} (${each.a}, ${each.b}, ${each.n})`);
    if (agreement.annotators.length > 2 && agreement.n > 0)
      texts.unshift(`Fleiss' κ ${kappa(agreement.fleiss)} (${agreement.n})`);
    return texts.join(" · ");
  };

  const attempt = async (work) => {
    try {
      await work();
      byId("problem").hidden = true;
    } catch (error) {
      byId("problem").hidden = false;
      byId("problem").textContent = error.message;
    }
  };

  const choose = (name) => {
    choice = name;
    page.pressChoice(byId("choices"), name);
    byId("reason").focus();
  };

  const voteRow = (vote) =>
    make("tr", {},
      make("th", { scope: "row" }, vote.annotator, vote.mode === "results" ? make("small", {}, "without SQL") : null),
      make("td", {}, page.labelText(vote.label)),
      make("td", {}, vote.categories.map((name) => name.replaceAll("_", " ")).join(", ")),
      make("td", {}, vote.note),
      make("td", {}, vote.realistic && `witness realistic: ${vote.realistic}`),
      make("td", { class: "code" }, vote.corrected_gold));

  const showVotes = (dispute) =>
    fill(byId("votes"), make("table", { class: "panel" },
      make("caption", {}, "Votes"), make("tbody", {}, ...dispute.votes.map(voteRow))));

  const showList = () => {
    const decided = disputes.filter((dispute) => dispute.decision).length;
    byId("progress").max = Math.max(disputes.length, 1);
    byId("progress").value = decided;
    byId("done").textContent = `${decided} of ${page.count(disputes.length, "dispute")} decided`;
    fill(byId("disputes"), ...disputes.map((dispute, index) =>
      make("button", {
        type: "button", class: dispute.decision ? "decided" : undefined,
        "aria-current": dispute.pair === pair ? "true" : undefined,
        onclick: () => attempt(() => show(index)),
      }, dispute.decision ? `✓ ${dispute.id}` : dispute.id)));
  };

  const show = async (index) => {
    const dispute = disputes[index];
    pair = ""; // nothing can be decided until it is on the page
    const { item, evidence } = await store.dispute(dispute.pair);
    pair = dispute.pair;
    showList();
    page.showItem(byId("item"), item, { a: "Gold", b: "Prediction" });
    showVotes(dispute);
    page.showEvidence(byId("evidence"), evidence, { a: "gold", b: "prediction" });
    byId("reason").value = dispute.reason;
    choice = "";
    page.pressChoice(byId("choices"), "");
    const own = page.choices.find(([name]) => page.choiceLabel(name) === dispute.decision);
    if (own) { choice = own[0]; page.pressChoice(byId("choices"), choice); }
    byId("main").focus({ preventScroll: true });
    byId("main").scrollTop = 0;
  };

  page.choiceLabel = (name) =>
    ({ only_a: "wrong", only_b: "gold_wrong", both: "right", neither: "both_wrong" })[name] || name;

  const read = async () => {
    const reply = await store.disputes();
    const changed = JSON.stringify(reply.disputes) !== JSON.stringify(disputes);
    disputes = reply.disputes;
    byId("adjudicator").textContent = reply.adjudicator;
    byId("kappa").textContent = kappaText(reply.agreement);
    return changed;
  };

  // Votes that come in while the page is open; what is being decided stays on it.
  const watch = async () => {
    const idle = !pair;
    if (document.hidden || !(await read())) return;
    if (idle) {
      await refresh();
      return;
    }
    showList();
    const own = disputes.find((dispute) => dispute.pair === pair);
    if (own) showVotes(own);
  };

  const refresh = async () => {
    await read();
    showList();
    const open = disputes.findIndex((dispute) => !dispute.decision);
    if (open >= 0) await show(open);
    else if (disputes.length) await show(0);
    else {
      pair = "";
      byId("evidence").hidden = true;
      fill(byId("votes"));
      fill(byId("item"), make("section", { class: "question end" },
        make("h1", {}, "No dispute."),
        make("p", {}, "Annotators who voted on the same items agree so far.")));
    }
  };

  const decide = () => attempt(async () => {
    if (!pair) return;
    if (!choice) throw new Error("Choose a label first: keys 1 to 6.");
    if (!byId("reason").value.trim()) throw new Error("Write the reason for the decision.");
    byId("saved").textContent = "Saving …";
    try {
      const reply = await store.adjudicate({ pair, choice, reason: byId("reason").value });
      byId("saved").textContent = `Saved ${new Date(reply.at).toLocaleTimeString("en-GB")}`;
    } catch (error) {
      byId("saved").textContent = "Not saved";
      throw error;
    }
    await refresh();
  });

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    if (page.isTyping(event)) {
      if (event.key === "Enter") decide();
      if (event.key === "Escape") byId("main").focus();
      return;
    }
    const name = page.choiceOfKey(event.key);
    if (name && names[name] !== null && pair) { event.preventDefault(); choose(name); }
    if (event.key === "t" && byId("schema")) byId("schema").open = !byId("schema").open;
  });

  page.choiceButtons(byId("choices"), names, choose);
  byId("decide").addEventListener("click", decide);
  byId("refresh").addEventListener("click", () => attempt(refresh));
  attempt(refresh);
  // A server that is gone is named when something is to be saved.
  setInterval(() => watch().catch(() => {}), PAUSE);
})();
