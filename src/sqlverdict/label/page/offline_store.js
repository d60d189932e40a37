// Votes stay in this browser until they are downloaded; the queue is inside the file.
"use strict";

page.store = (() => {
  const data = JSON.parse(page.byId("page-data").textContent);
  const place = `sqlverdict votes ${data.key} ${data.annotator}`;
  const contents = new Map(data.items.map((item) => [item.pair, item]));
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

  const state = () => {
    const current = votes();
    const times = [...current.values()].map((vote) => vote.seconds).sort((a, b) => a - b);
    return {
      annotator: data.annotator,
      blind: true,
      mode: data.mode,
      items: data.items.map(({ pair, id, question, earlier }) => ({
        pair, id,
        question: earlier ? `${question} (after: ${earlier.join(" / ")})` : question,
        choice: current.has(pair) ? current.get(pair).choice : "",
      })),
      progress: {
        done: current.size,
        total: data.items.length,
        seconds: times.length ? times[Math.floor(times.length / 2)] : null,
      },
      categories: data.categories,
    };
  };

  const event = (kind, pair) => ({
    vote_schema: data.vote_schema, kind, id: contents.get(pair).id, pair,
    annotator: data.annotator, at: new Date().toISOString(), source: "offline",
  });

  return {
    offline: true,
    state: async () => state(),
    item: async (pair) => ({ item: contents.get(pair), vote: votes().get(pair) || null, evidence: null }),
    vote: async (ballot) => {
      const { pair, digest, results, witness, reason, ...rest } = ballot;
      const made = event("vote", pair);
      const display = { first: "", blind: true, results, witness, digest, queue: data.queue, mode: data.mode };
      keep({ ...made, ...rest, shown: display });
      return { at: made.at, progress: state().progress };
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
