// The document comes from the local server; the reader chooses its runs.

const ownToken = (() => {
  const fragment = new URLSearchParams(location.hash.slice(1));
  if (fragment.has("token")) {
    sessionStorage.setItem("token", fragment.get("token"));
    history.replaceState(null, "", "#overview");
  }
  return sessionStorage.getItem("token") || "";
})();

async function ask(name, body) {
  let reply;
  try {
    reply = await fetch("api/" + name, {
      method: "POST",
      headers: { "x-sqlverdict-token": ownToken, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Error("The server does not answer. Start sqlverdict view again, and open the address that it prints");
  }
  if (reply.status === 403) throw new Error(await reply.text());
  const content = await reply.json();
  if (!reply.ok) throw new Error(content.error);
  return content;
}

let allRuns = null;
let shownRuns = [];

/** Which runs are shown: those that this tab remembers, else all. */
async function chooseRuns() {
  allRuns = await ask("runs", {});
  const saved = JSON.parse(sessionStorage.getItem("runs") || "[]").filter((i) => i < allRuns.length);
  shownRuns = saved.length ? saved : allRuns.map((_, i) => i);
  addRunChoice();
}

/** In place of the data inside a file: a part of the document. */
async function unpack(name) {
  if (allRuns === null) await chooseRuns();
  return ask("document", { runs: shownRuns, name });
}

function addRunChoice() {
  if (allRuns.length < 2) return;
  const boxes = allRuns.map((run, i) => el("label", null,
    el("input", { type: "checkbox", value: i, checked: shownRuns.includes(i) }), ` ${run.system} `, el("span.quiet", null, run.folder)));
  const show = () => {
    const runs = boxes.map((box) => box.firstChild).filter((box) => box.checked).map((box) => Number(box.value));
    if (!runs.length) { announce("Choose a run"); return; }
    sessionStorage.setItem("runs", JSON.stringify(runs));
    location.reload();
  };
  by("top").append(el("details.run-choice", { id: "run-choice" },
    el("summary", null, `Runs: ${shownRuns.length} of ${allRuns.length}`),
    el("div", null, boxes, el("button", { type: "button", onclick: show }, "Show these"))));
}

/** Positions as ranges: the first of each, and how many follow one another. */
function ranges(positions) {
  const list = [];
  for (const at of [...positions].sort((a, b) => a - b)) {
    const last = list.at(-1);
    if (last && last[0] + last[1] === at) last[1]++;
    else list.push([at, 1]);
  }
  return list;
}

/** The log lines of the cases in the list. */
async function exportLines(event) {
  const button = event.currentTarget;
  try {
    const body = { runs: shownRuns, run: shownRuns[state.system], ranges: ranges(state.cases) };
    download("cases.jsonl", await ask("export", body));
  } catch (error) {
    announce(error.message, button);
  }
}
