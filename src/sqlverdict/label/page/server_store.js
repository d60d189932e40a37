// Votes go to the local server; the token comes with the address and stays in this tab.
"use strict";

page.store = (() => {
  const fragment = new URLSearchParams(location.hash.slice(1));
  if (fragment.has("token")) {
    sessionStorage.setItem("token", fragment.get("token"));
    fragment.delete("token");
    history.replaceState(null, "", location.pathname + (fragment.size ? `#${fragment}` : ""));
  }

  // A proxy may send a request twice: what is done counts once for each name of a request.
  const requestName = () =>
    [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

  const ask = async (name, body = {}) => {
    let reply;
    try {
      reply = await fetch(`api/${name}`, {
        method: "POST",
        headers: { "x-sqlverdict-token": sessionStorage.getItem("token") || "", "x-sqlverdict-request": requestName() },
        body: JSON.stringify(body),
      });
    } catch {
      throw new Error("The server does not answer. Start it again, and open the address that it prints: everything that was shown as saved is saved.");
    }
    if (reply.status === 403) throw new Error(await reply.text());
    const content = await reply.json();
    if (!reply.ok) throw new Error(content.error);
    return content;
  };

  return {
    offline: false,
    state: () => ask("state"),
    item: (pair) => ask("item", { pair }),
    vote: (ballot) => ask("vote", ballot),
    undo: () => ask("undo"),
    reveal: (pair) => ask("reveal", { pair }),
    run: (pair, sql) => ask("run", { pair, sql }),
    disputes: () => ask("disputes"),
    dispute: (pair) => ask("dispute", { pair }),
    adjudicate: (ballot) => ask("adjudicate", ballot),
  };
})();
