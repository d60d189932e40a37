// Votes stay in this browser until they are downloaded; the queue is inside the file.
"use strict";

page.store = (() => {
  const data = JSON.parse(page.byId("page-data").textContent);
  const place = `sqlverdict votes ${data.key} ${data.annotator}`;
  const contents = new Map(data.items.map((each) => [each.item.pair, each]));
  let events = [];
  let lasting = true;
  try {
    events = JSON.parse(localStorage.getItem(place) || "[]");
  } catch {
    lasting = false;
  }

  const keep = (event) => {
    events.push(event);
    if (!lasting) return;
    try {
      localStorage.setItem(place, JSON.stringify(events));
    } catch (error) {
      events.pop();
      throw new Error(`This browser does not keep the vote (${error.name}). Download the votes that you have.`);
    }
  };

  // The votes that count: the last one of each item. A withdrawal takes back the earlier ones too.
  const votes = () => {
    const last = new Map();
    for (const event of events)
      if (event.kind === "vote") last.set(event.pair, event);
      else last.delete(event.pair);
    return last;
  };

  const labelOf = (choice, first) => {
    if (choice === "only_a" || choice === "only_b")
      return (choice === "only_a") === (first === "gold") ? "wrong" : "gold_wrong";
    return { both: "right", either: "both_acceptable", neither: "both_wrong" }[choice] || choice;
  };

  const choiceOf = (label, first) =>
    page.choices.map(([choice]) => choice).find((choice) => labelOf(choice, first) === label) || "";

  const state = () => {
    const current = votes();
    const times = [...current.values()].map((vote) => vote.seconds).sort((a, b) => a - b);
    return {
      annotator: data.annotator,
      blind: true,
      items: data.items.map(({ item, first }) => ({
        pair: item.pair,
        id: item.id,
        question: item.question,
        choice: current.has(item.pair) ? choiceOf(current.get(item.pair).label, first) : "",
      })),
      progress: {
        done: current.size,
        total: data.items.length,
        seconds: times.length ? times[Math.floor(times.length / 2)] : null,
      },
      agreement: null,
      categories: data.categories,
    };
  };

  const event = (kind, pair) => ({
    vote_schema: data.vote_schema, kind, id: contents.get(pair).item.id, pair,
    annotator: data.annotator, at: new Date().toISOString(), source: "offline",
  });

  return {
    offline: true,
    state: async () => state(),
    item: async (pair) => {
      const { item, first } = contents.get(pair);
      const vote = votes().get(pair);
      const own = vote && { ...vote, choice: choiceOf(vote.label, first) };
      return { item, vote: own || null, evidence: null };
    },
    vote: async (ballot) => {
      const { first } = contents.get(ballot.pair);
      const { pair, choice, digest, results, witness, reason, ...rest } = ballot;
      const made = event("vote", pair);
      const display = { first, blind: true, results, witness, digest, queue: data.queue };
      keep({ ...made, label: labelOf(choice, first), ...rest, shown: display });
      const { progress, agreement } = state();
      return { at: made.at, progress, agreement };
    },
    undo: async () => {
      const current = votes();
      const last = [...events].reverse().find((each) => each.kind === "vote" && current.get(each.pair) === each);
      if (!last) throw new Error("there is no vote to take back");
      keep(event("undo", last.pair));
      return { pair: last.pair, vote: last, state: state() };
    },
    download: () => {
      const text = events.map((each) => JSON.stringify(each) + "\n").join("");
      const link = page.make("a", {
        href: URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" })),
        download: `votes-${data.annotator}.jsonl`,
      });
      link.click();
      URL.revokeObjectURL(link.href);
    },
  };
})();
