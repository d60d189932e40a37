// The reviewer's page: one gold at a time, one key a decision.
"use strict";

(() => {
  const { byId, make, fill, store } = page;
  const ACCEPT = ["accept_1", "accept_2", "accept_3"];
  let position = 0;
  let current = null; // the gold on the page
  let source = 1; // the candidate that a query of one's own starts from

  page.choices = [
    ...ACCEPT.map((choice, index) => [choice, String(index + 1), `Accept ${index + 1}`, `candidate ${index + 1} becomes the gold`]),
    ["stays", "4", "Gold stays", "none of them is better"],
    ["edited", "E", "Edit", "write a query of your own, from a candidate"],
    ["skip", "S", "Skip", "no decision"],
  ];

  const problem = (text) => {
    byId("problem").hidden = !text;
    byId("problem").textContent = text;
  };

  const attempt = (step) => {
    try {
      problem("");
      step();
    } catch (error) {
      problem(error.message);
    }
  };

  const saved = (text) => {
    byId("saved").textContent = text;
    byId("saved").className = "saved good";
  };

  const showProgress = () => {
    const all = store.items.length;
    const done = store.decisions().size;
    byId("progress").max = Math.max(all, 1);
    byId("progress").value = done;
    byId("done").textContent = `${done} of ${all}`;
    document.title = `${done} of ${all} · Review golds`;
  };

  const list = (names) => names.join(", ");

  const facts = (proposal) =>
    [
      ["On the real database", proposal.changes],
      ["On a small one", proposal.sentence],
      ["Systems that answer so", list(proposal.systems)],
      ["Of these proved equal", proposal.proved.length > 1 ? list(proposal.proved) : ""],
      ["Would become right", list(proposal.to_right)],
      ["Would become wrong", list(proposal.to_wrong)],
      ["Signs that it removes", list(proposal.removes)],
      ["Signs that it adds", list(proposal.adds)],
    ].filter(([, text]) => text);

  const candidate = (proposal, number) =>
    make(
      "section",
      { class: "candidate", "aria-label": `Candidate ${number}` },
      make("h2", {}, `Candidate ${number}: ${proposal.reason} `, make("small", {}, proposal.source)),
      make("div", { class: "panel evidence" },
        make("dl", {}, ...facts(proposal).flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, text)]))),
      page.difference(proposal.content),
      make("section", { class: "pair" },
        page.query(proposal.content.a, "A", "Gold"),
        page.query(proposal.content.b, "B", `Candidate ${number}`)),
      page.witness(proposal.content, null),
      make("p", { class: "candidate-tools" },
        make("button", { type: "button", class: "primary", onclick: () => decide(ACCEPT[number - 1]) }, `Accept candidate ${number} `, make("kbd", {}, String(number))),
        make("button", { type: "button", onclick: () => edit(number) }, "Edit"))
    );

  const suspicions = (item) =>
    make("details", { class: "panel" },
      make("summary", {}, `The gold is wrong with probability ${item.rank.toFixed(2)}: ${page.count(item.suspicions.length, "reason")}`),
      make("ul", { class: "notes" }, ...item.suspicions.map((text) => make("li", {}, text))));

  const showItem = (index) => {
    position = index;
    current = store.items[index];
    source = 1;
    const decision = store.decisions().get(current.pair);
    fill(
      byId("item"),
      ...[
        page.question(current, `${index + 1} / ${store.items.length} · `),
        suspicions(current),
        ...current.proposals.map((each, number) => candidate(each, number + 1)),
        page.schema(current.proposals[0].content),
      ].filter(Boolean)
    );
    const names = Object.fromEntries(ACCEPT.slice(current.proposals.length).map((choice) => [choice, null]));
    page.choiceButtons(byId("choices"), names, decide);
    page.pressChoice(byId("choices"), decision ? decision.choice : "");
    byId("detail").hidden = false;
    byId("note").value = decision ? decision.note : "";
    byId("edited").value = decision && decision.choice === "edited" ? decision.sql : "";
    byId("detail").open = Boolean(byId("note").value || byId("edited").value);
    byId("previous").disabled = index === 0;
    byId("next").disabled = index === store.items.length - 1;
    byId("main").scrollTop = 0;
    window.scrollTo(0, 0);
    byId("main").focus({ preventScroll: true });
  };

  const showEnd = () => {
    current = null;
    byId("detail").hidden = true;
    fill(byId("choices"));
    const skipped = [...store.decisions().values()].filter((each) => each.choice === "skip").length;
    fill(
      byId("item"),
      make("section", { class: "question end" },
        make("h1", {}, `${page.count(store.items.length - skipped, "gold")} decided, ${skipped} skipped.`),
        make("p", {}, "Download the overlay. It changes nothing by itself: evaluate and leaderboard --golds read it."))
    );
  };

  const nextOpen = (from) => {
    const size = store.items.length;
    const decisions = store.decisions();
    for (let step = 0; step < size; step += 1)
      if (!decisions.has(store.items[(from + step) % size].pair)) return (from + step) % size;
    return -1;
  };

  const goOn = (from) => {
    const index = nextOpen(from);
    if (index < 0) showEnd();
    else showItem(index);
  };

  const edit = (number) => {
    if (!current) return;
    source = number;
    byId("detail").open = true;
    byId("edited").value = current.proposals[number - 1].sql;
    byId("edited").focus();
    byId("edited").scrollIntoView({ block: "nearest" });
  };

  const save = (choice, candidateNumber, sql) => {
    store.decide({ pair: current.pair, choice, candidate: candidateNumber, note: byId("note").value, sql });
    saved("Saved in this browser");
    showProgress();
    goOn(position + 1);
  };

  const decide = (choice) =>
    attempt(() => {
      if (!current) return;
      if (choice === "edited") edit(source);
      else {
        const number = ACCEPT.indexOf(choice) + 1;
        if (number <= current.proposals.length) save(choice, number, "");
      }
    });

  const acceptEdited = () =>
    attempt(() => {
      if (!current) return;
      const sql = byId("edited").value.trim();
      if (!sql) throw new Error("There is no query to accept. Write one first.");
      save("edited", source, sql);
    });

  const undo = () =>
    attempt(() => {
      const pair = store.undo();
      showProgress();
      saved("Decision taken back");
      showItem(store.items.findIndex((item) => item.pair === pair));
    });

  const move = (step) => {
    const index = current ? position + step : position;
    if (index >= 0 && index < store.items.length) showItem(index);
  };

  const jump = () => {
    const decisions = store.decisions();
    const items = store.items.map((item) => ({ ...item, choice: (decisions.get(item.pair) || { choice: "" }).choice }));
    page.jumpList.open(items, current ? position : -1);
  };

  const download = () =>
    attempt(() => {
      if (!store.by().trim()) {
        byId("by").focus();
        throw new Error("Enter your name first: an overlay says who decided.");
      }
      if (!store.overlay().length) throw new Error("No gold is decided yet.");
      store.download();
      saved("Downloaded");
    });

  const toggle = (id) => {
    const element = byId(id);
    if (!element || element.hidden) return;
    element.open = !element.open;
    if (element.open) element.scrollIntoView({ block: "nearest" });
  };

  const help = () => byId("help").showModal();

  const keys = {
    l: jump, u: undo, "?": help, d: () => toggle("detail"), t: () => toggle("schema"),
    arrowleft: () => move(-1), arrowright: () => move(1),
  };

  document.addEventListener("keydown", (event) => {
    if (byId("help").open || byId("jump").open || event.altKey || event.metaKey) return;
    if (event.target === byId("edited") && event.key === "Enter" && event.ctrlKey) {
      event.preventDefault();
      acceptEdited();
      return;
    }
    if (page.isTyping(event)) {
      if (event.key === "Escape") byId("main").focus();
      return;
    }
    if (event.ctrlKey) {
      if (event.key === "z") { event.preventDefault(); undo(); }
      return;
    }
    const choice = page.choiceOfKey(event.key);
    const action = choice ? () => decide(choice) : keys[event.key.toLowerCase()];
    const scrolls = event.key.startsWith("Arrow") && event.target.closest(".scroll, .sql");
    if (!action || event.repeat || scrolls) return;
    event.preventDefault();
    action();
  });

  fill(
    byId("help-keys").querySelector("tbody"),
    ...[
      ...page.choices.map(([, key, text, hint]) => [key, `${text}: ${hint}`]),
      ["U", "take back the last decision"], ["← →", "previous and next gold"], ["L", "all golds with their state; go to any"],
      ["D", "why, and a query of your own"], ["T", "tables in use, with sample rows"],
    ].map(([key, text]) => make("tr", {}, make("th", { scope: "row" }, make("kbd", {}, key)), make("td", {}, text)))
  );
  byId("by").value = store.by();
  byId("by").addEventListener("input", () => attempt(() => store.name(byId("by").value)));
  byId("previous").addEventListener("click", () => move(-1));
  byId("next").addEventListener("click", () => move(1));
  byId("undo").addEventListener("click", undo);
  byId("accept-edited").addEventListener("click", acceptEdited);
  byId("download").addEventListener("click", download);
  page.jumpList.start(showItem);
  byId("jump-button").addEventListener("click", jump);
  byId("help-button").addEventListener("click", help);
  byId("help-close").addEventListener("click", () => byId("help").close());
  showProgress();
  goOn(0);
})();
