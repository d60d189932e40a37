// The annotator's page: one item at a time, one key a vote.
"use strict";

(() => {
  const { byId, make, fill, store } = page;
  let state = null;
  let current = null; // the item on the page, with the own vote
  let position = 0;
  let work = Promise.resolve(); // what was asked for last; it begins when all before it has ended
  let waiting = 0; // what was asked for and has not ended
  let looked = 0; // milliseconds of looking at the item before `since`
  let since = 0;
  let timer = null;
  let pending = false; // a change to an item that has a vote waits to be saved
  const texts = new Map(); // what this tab alone keeps, where the browser stores nothing
  const loaded = new Map();

  const problem = (text) => {
    byId("problem").hidden = !text;
    byId("problem").textContent = text;
  };

  const saved = (text, kind) => {
    byId("saved").textContent = text;
    byId("saved").className = `saved ${kind}`;
  };

  const ask = (change) => {
    waiting += change;
    byId("main").setAttribute("aria-busy", String(waiting > 0));
  };

  // One after the other, in the order of the keys. Whatever fails is shown, and nothing is shown
  // as saved.
  const attempt = (step) => {
    ask(1);
    work = work.then(step).then(() => problem(""), (error) => problem(error.message)).then(() => ask(-1));
    return work;
  };

  // What was entered for items without a vote; it is there after a reload.
  const draftName = (pair) => `sqlverdict draft ${state.annotator} ${pair}`;
  const drafts = {
    get: (pair) => {
      let text = texts.get(pair);
      try { text ??= localStorage.getItem(draftName(pair)); } catch { /* kept in this tab alone */ }
      return text ? JSON.parse(text) : null;
    },
    set: (pair, form) => {
      texts.set(pair, JSON.stringify(form));
      try { localStorage.setItem(draftName(pair), texts.get(pair)); } catch { /* kept in this tab alone */ }
    },
    delete: (pair) => {
      texts.delete(pair);
      try { localStorage.removeItem(draftName(pair)); } catch { /* nothing was kept */ }
    },
  };

  const load = (pair) => {
    if (!loaded.has(pair)) {
      const request = store.item(pair);
      loaded.set(pair, request);
      request.catch(() => loaded.delete(pair));
    }
    return loaded.get(pair);
  };

  const withoutSql = () => state.mode === "results";

  // For an estimate nothing is revealed before the last label.
  const hasNoReveal = () =>
    !state.blind || store.offline ||
    (state.reveals_at_end && state.items.some((item) => !item.choice || item.choice === "skip"));

  const clock = () => looked + (since ? performance.now() - since : 0);
  document.addEventListener("visibilitychange", () => {
    looked = clock();
    since = document.hidden ? 0 : performance.now();
  });

  const showState = () => {
    const { progress, annotator } = state;
    byId("annotator").textContent = annotator;
    byId("progress").max = Math.max(progress.total, 1);
    byId("progress").value = progress.done;
    byId("done").textContent = `${progress.done} of ${progress.total}`;
    byId("pace").textContent = progress.seconds === null ? "" : `${progress.seconds.toFixed(0)} s per item`;
    document.title = `${progress.done} of ${progress.total} · Label answers`;
  };

  const realisticControl = () => {
    const group = make("div", { class: "realistic", role: "group", "aria-label": "Could this be real data?" });
    for (const [value, key, text] of [["yes", "Y", "Yes"], ["no", "N", "No"], ["unsure", "M", "Maybe"]])
      group.append(
        make("button", { type: "button", "data-value": value, "aria-pressed": "false", "aria-keyshortcuts": key, onclick: () => setRealistic(value) }, make("kbd", {}, key), ` ${text}`)
      );
    return make("div", { class: "ask" }, make("span", {}, "Could this be real data?"), group);
  };

  const realistic = () => {
    const pressed = document.querySelector('.realistic [aria-pressed="true"]');
    return pressed ? pressed.dataset.value : "";
  };

  const pressRealistic = (value) => {
    for (const button of document.querySelectorAll(".realistic button"))
      button.setAttribute("aria-pressed", String(button.dataset.value === value));
  };

  const setRealistic = (value) => {
    if (!document.querySelector(".realistic")) return;
    pressRealistic(realistic() === value ? "" : value);
    edited();
  };

  const chips = () =>
    [...byId("chips").children].filter((chip) => chip.getAttribute("aria-pressed") === "true").map((chip) => chip.dataset.name);

  const makeChips = () =>
    fill(
      byId("chips"),
      ...Object.entries(state.categories).map(([name, text]) =>
        make("button", {
          type: "button", class: "chip", "data-name": name, "aria-pressed": "false", title: text,
          onclick: (event) => {
            const chip = event.currentTarget;
            chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
            edited();
          },
        }, name.replaceAll("_", " "))
      )
    );

  const entered = () => ({
    categories: chips(),
    note: byId("note").value,
    realistic: realistic(),
    corrected_gold: byId("corrected").value,
  });

  const showItem = async (index, focus = true) => {
    await savePending();
    const listed = state.items[index];
    const content = await load(listed.pair);
    await savePending(); // what was entered for the item before while this one was loaded
    position = index;
    current = content;
    const { item, vote, evidence } = content;
    const form = vote || drafts.get(item.pair) || { categories: [], note: "", realistic: "", corrected_gold: "" };
    const noun = withoutSql() ? "Result" : "Query";
    const titles = evidence ? { a: "Gold", b: "Prediction" } : { a: `${noun} A`, b: `${noun} B` };
    const show = withoutSql() ? page.showResults : page.showItem;
    show(byId("item"), item, titles, realisticControl(), `${index + 1} / ${state.items.length} · `);
    byId("detail").hidden = false;
    byId("evidence").hidden = true;
    if (evidence) page.showEvidence(byId("evidence"), evidence);
    pressRealistic(form.realistic);
    for (const chip of byId("chips").children)
      chip.setAttribute("aria-pressed", String(form.categories.includes(chip.dataset.name)));
    byId("note").value = form.note;
    byId("corrected").value = form.corrected_gold;
    if (form.categories.length || form.note || form.corrected_gold) byId("detail").open = true;
    fill(byId("corrected-result"));
    page.pressChoice(byId("choices"), vote ? vote.choice : "");
    byId("reveal").hidden = !vote || hasNoReveal();
    byId("previous").disabled = index === 0;
    byId("next").disabled = index === state.items.length - 1;
    history.replaceState(null, "", `#item=${listed.pair}`);
    byId("main").scrollTop = 0;
    window.scrollTo(0, 0);
    if (focus) byId("main").focus({ preventScroll: true });
    looked = 0;
    since = document.hidden ? 0 : performance.now();
    if (index + 1 < state.items.length) load(state.items[index + 1].pair).catch(() => {});
  };

  const showEnd = () => {
    current = null;
    byId("detail").hidden = true;
    byId("evidence").hidden = true;
    byId("reveal").hidden = true;
    page.pressChoice(byId("choices"), "");
    const { progress } = state;
    const skipped = state.items.filter((item) => item.choice === "skip").length;
    const all = page.count(progress.total, "item");
    fill(
      byId("item"),
      make("section", { class: "question end" },
        make("h1", {}, skipped ? `${progress.total - skipped} of ${all} are labelled, ${skipped} skipped.` : `All ${all} are labelled.`),
        skipped ? make("p", {}, "L lists the skipped ones: you can still vote on them.") : null,
        make("p", {}, progress.seconds === null ? "" : `Half of your votes took less than ${page.count(Math.ceil(progress.seconds), "second")}.`),
        make("p", {}, store.offline ? "Download your votes and send the file back." : "Every vote is saved. You can close this page, or go back with ← to look at an item again."))
    );
  };

  const nextOpen = (from) => {
    const size = state.items.length;
    for (let step = 0; step < size; step += 1)
      if (!state.items[(from + step) % size].choice) return (from + step) % size;
    return -1;
  };

  const goOn = async (from) => {
    const index = nextOpen(from);
    if (index < 0) showEnd();
    else await showItem(index);
  };

  const ballot = (choice) => ({
    pair: current.item.pair,
    choice,
    ...entered(),
    seconds: Math.round(clock() / 100) / 10,
    digest: current.item.digest,
    results: !current.item.a.result.failure && !current.item.b.result.failure,
    witness: Boolean(current.item.a.on_witness),
  });

  const listedAs = (pair) => state.items.find((item) => item.pair === pair);

  // What is entered while a vote is on its way belongs to that vote: it is sent after it.
  const save = async (choice) => {
    const { pair } = current.item;
    saved("Saving …", "busy");
    for (let form = null; form !== JSON.stringify(entered()); ) {
      form = JSON.stringify(entered());
      clearTimeout(timer);
      pending = false;
      try {
        const reply = await store.vote(ballot(choice));
        listedAs(pair).choice = choice;
        state.progress = reply.progress;
        saved(`Saved ${new Date(reply.at).toLocaleTimeString("en-GB")}`, "good");
      } catch (error) {
        pending = Boolean(listedAs(pair).choice); // tried again before another item is shown
        saved("Not saved", "bad");
        throw error;
      }
    }
    loaded.delete(pair);
    drafts.delete(pair);
    showState();
  };

  const savePending = async () => {
    if (pending) await save(listedAs(current.item.pair).choice);
  };

  // A vote counts for the item on the page: a key pressed before the item is there does not.
  const vote = (choice) =>
    waiting || attempt(async () => {
      if (!current) return;
      await save(choice);
      page.pressChoice(byId("choices"), choice);
      if (byId("advance").checked) await goOn(position + 1);
      else {
        byId("reveal").hidden = hasNoReveal();
        current = await load(current.item.pair).catch(() => current);
      }
    });

  // A change to an item that has a vote is a new vote with the same choice.
  const edited = () => {
    if (!current) return;
    if (!listedAs(current.item.pair).choice) {
      drafts.set(current.item.pair, entered());
      return;
    }
    clearTimeout(timer);
    pending = true;
    saved("Not saved yet", "busy");
    timer = setTimeout(() => attempt(savePending), 500);
  };

  const move = (step) =>
    attempt(async () => {
      const index = current ? position + step : position;
      if (index >= 0 && index < state.items.length) await showItem(index);
    });

  const undo = () =>
    attempt(async () => {
      // An edit that is saved after the withdrawal would be a vote again.
      await savePending();
      const reply = await store.undo();
      state = reply.state;
      loaded.delete(reply.pair);
      // What was entered in the meantime is a draft now.
      const here = pending && current.item.pair === reply.pair;
      drafts.set(reply.pair, here ? entered() : reply.vote);
      pending &&= !here;
      showState();
      saved("Vote taken back", "good");
      await showItem(state.items.findIndex((item) => item.pair === reply.pair));
    });

  const reveal = () =>
    attempt(async () => {
      if (!current || byId("reveal").hidden) return;
      page.showEvidence(byId("evidence"), await store.reveal(current.item.pair));
      byId("evidence").scrollIntoView({ block: "nearest" });
    });

  const run = () =>
    attempt(async () => {
      fill(byId("corrected-result"), "Running …");
      const result = await store.run(current.item.pair, byId("corrected").value);
      fill(byId("corrected-result"), page.result(result, "your query", "on the real database"));
      edited();
    });

  const toggle = (id) => {
    const element = byId(id);
    if (!element || element.hidden) return;
    element.open = !element.open;
    if (element.open) element.scrollIntoView({ block: "nearest" });
  };

  const help = () => byId("help").showModal();

  const goTo = (index) =>
    attempt(() => showItem(index));

  const jump = () => page.jumpList.open(state.items, current ? position : -1);

  const keys = {
    l: jump, u: undo, r: reveal, "?": help, d: () => toggle("detail"), t: () => toggle("schema"),
    y: () => setRealistic("yes"), n: () => setRealistic("no"), m: () => setRealistic("unsure"),
    arrowleft: () => move(-1), arrowright: () => move(1),
  };

  document.addEventListener("keydown", (event) => {
    if (byId("help").open || byId("jump").open || event.altKey || event.metaKey) return;
    if (event.target === byId("corrected") && event.key === "Enter" && event.ctrlKey) {
      event.preventDefault();
      run();
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
    const action = choice ? () => vote(choice) : keys[event.key.toLowerCase()];
    const scrolls = event.key.startsWith("Arrow") && event.target.closest(".scroll, .sql");
    if (!action || event.repeat || scrolls) return;
    event.preventDefault();
    action();
  });

  // The page of somebody who does not read SQL: other choices, a note, no query.
  const showNoSql = () => {
    page.choices = page.choicesOf.results;
    page.nullText = "no value";
    page.onlyHere = "the other result does not have this row";
    page.schemaTitle = "The tables, with a few of their rows";
    byId("chips-field").hidden = true;
    byId("corrected-field").hidden = true;
    byId("detail-title").textContent = "Note";
    byId("choices").setAttribute("aria-label", "Which result answers the question?");
    byId("help-text").textContent =
      "Read the question, then the small database: it says in words what the data would be. Below it are two results. Say which of them answers the question. One is the benchmark's, the other one a system's; the order is random.";
  };

  const start = async () => {
    state = await store.state();
    byId("download").hidden = !store.offline;
    byId("run").hidden = store.offline;
    if (withoutSql()) showNoSql();
    makeChips();
    const names = state.blind ? {} : { only_a: "Only gold", only_b: "Only prediction" };
    page.choiceButtons(byId("choices"), names, vote);
    fill(
      byId("help-keys").querySelector("tbody"),
      ...[
        ...page.choices.map(([choice, key, text, hint]) => [key, `${names[choice] || text}: ${hint}`]),
        ["U", "take back the last vote"], ["← →", "previous and next item"], ["L", "all items with their state; go to any"],
        ["Y N M", "the small database could be real data: yes, no, maybe"],
        ["D", withoutSql() ? "a note" : "kinds of difference, a note, a better query"], ["T", "tables in use, with sample rows"],
        ...(store.offline ? [] : [["R", "reveal verdict and metrics, after your own vote"]]),
      ].map(([key, text]) => make("tr", {}, make("th", { scope: "row" }, make("kbd", {}, key)), make("td", {}, text)))
    );
    byId("previous").addEventListener("click", () => move(-1));
    byId("next").addEventListener("click", () => move(1));
    byId("undo").addEventListener("click", undo);
    byId("reveal").addEventListener("click", reveal);
    byId("run").addEventListener("click", run);
    page.jumpList.start(goTo);
    byId("jump-button").addEventListener("click", jump);
    byId("help-button").addEventListener("click", help);
    byId("help-close").addEventListener("click", () => byId("help").close());
    byId("download").addEventListener("click", () => store.download());
    byId("note").addEventListener("input", edited);
    byId("corrected").addEventListener("input", edited);
    showState();
    const link = new URLSearchParams(location.hash.slice(1)).get("item");
    const linked = state.items.findIndex((item) => item.pair === link);
    const all = nextOpen(0) < 0;
    if (linked >= 0 && (all || !state.items[linked].choice)) await showItem(linked);
    else await goOn(0);
  };

  attempt(start);
})();
