// Decisions stay in this browser until they are downloaded as an overlay; the golds are inside the file.
"use strict";

page.store = (() => {
  const data = JSON.parse(page.byId("page-data").textContent);
  const place = `sqlverdict review ${data.key}`;
  let state = { by: "", events: [] };
  let lasting = true;
  try {
    state = JSON.parse(localStorage.getItem(place)) || state;
  } catch {
    lasting = false;
  }

  const keep = () => {
    if (!lasting) return;
    try {
      localStorage.setItem(place, JSON.stringify(state));
    } catch (error) {
      throw new Error(`This browser does not keep the decision (${error.name}). Download the overlay that you have.`);
    }
  };

  // The decisions that count: the last one of each gold that was not taken back.
  const decisions = () => {
    const last = new Map();
    for (const event of state.events)
      if (event.choice) last.set(event.pair, event);
      else last.delete(event.pair);
    return last;
  };

  const record = (item, decision) => {
    const proposal = item.proposals[decision.candidate - 1];
    const stays = decision.choice === "stays";
    const edited = decision.choice === "edited";
    const reasons = [decision.note.trim(), stays ? "reviewed: the gold stays" : edited ? "written by the reviewer" : proposal.reason];
    return {
      id: item.id, db_id: item.db_id, question: item.question,
      gold: stays ? item.gold : edited ? decision.sql : proposal.sql,
      reason: reasons.filter(Boolean).join("; "),
      by: state.by.trim(), at: decision.at,
      decision: stays ? "stays" : edited ? "edited" : "accepted",
      candidate: stays || !proposal ? null : {
        number: decision.candidate, gold: proposal.sql, source: proposal.source,
        systems: proposal.systems, proved: proposal.proved, removes: proposal.removes,
      },
      before: item.gold, benchmark: data.benchmark,
    };
  };

  const overlay = () => {
    const current = decisions();
    return data.items
      .filter((item) => current.has(item.pair) && current.get(item.pair).choice !== "skip")
      .map((item) => record(item, current.get(item.pair)));
  };

  return {
    items: data.items,
    decisions,
    overlay,
    by: () => state.by,
    name: (by) => { state.by = by; keep(); },
    decide: (event) => { state.events.push({ ...event, at: new Date().toISOString() }); keep(); },
    undo: () => {
      const current = decisions();
      const last = [...state.events].reverse().find((each) => each.choice && current.get(each.pair) === each);
      if (!last) throw new Error("there is no decision to take back");
      state.events.push({ pair: last.pair, choice: "" });
      keep();
      return last.pair;
    },
    download: () => {
      const text = overlay().map((each) => JSON.stringify(each) + "\n").join("");
      const link = page.make("a", {
        href: URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" })),
        download: `golds-${state.by.trim().replace(/[^\w-]+/g, "-")}.jsonl`,
      });
      link.click();
      URL.revokeObjectURL(link.href);
    },
  };
})();
