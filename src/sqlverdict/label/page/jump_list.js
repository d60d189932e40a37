// The list of all items with their state, from which an annotator goes to any of them.
"use strict";

page.jumpList = (() => {
  const { byId, make, fill } = page;
  const STATES = [["", "All"], ["open", "Open"], ["skipped", "Skipped"], ["voted", "Voted"]];
  let items = [];
  let position = 0;
  let wanted = "";
  let choose = () => {};

  const stateOf = (item) => (!item.choice ? "open" : item.choice === "skip" ? "skipped" : "voted");
  const texts = (choice) => (page.choices.find(([name]) => name === choice) || [])[2];

  const draw = () => {
    fill(byId("jump-states"), ...STATES.map(([state, text]) => {
      const many = items.filter((item) => !state || stateOf(item) === state).length;
      return make("button", { type: "button", "aria-pressed": String(state === wanted), disabled: many === 0 && state !== wanted, onclick: () => { wanted = state; draw(); } }, `${text} ${many}`);
    }));
    const word = byId("jump-search").value.trim().toLowerCase();
    const fits = (item, number) =>
      (!wanted || stateOf(item) === wanted) &&
      (!word || String(number) === word || `${item.id}\n${item.question}`.toLowerCase().includes(word));
    const rows = items.map((item, index) => [item, index]).filter(([item, index]) => fits(item, index + 1));
    fill(byId("jump-items"), ...rows.map(([item, index]) =>
      make("li", {}, make("button", { type: "button", "aria-current": index === position ? "true" : undefined, onclick: () => go(index) },
        make("span", { class: "jump-number" }, String(index + 1)),
        make("span", { class: "jump-text" }, item.question || "(no question)", make("small", {}, ` ${item.id}`)),
        make("span", { class: `jump-state ${stateOf(item)}` }, stateOf(item) === "voted" ? texts(item.choice) : stateOf(item))))));
    byId("jump-none").hidden = rows.length > 0;
  };

  const go = (index) => {
    byId("jump").close();
    choose(index);
  };

  const buttons = () => [...byId("jump-items").querySelectorAll("button")];

  const keys = (event) => {
    const list = buttons();
    const at = list.indexOf(document.activeElement);
    const last = list.length - 1;
    const target = { ArrowDown: Math.min(at + 1, last), ArrowUp: at - 1, Home: at < 0 ? at : 0, End: at < 0 ? at : last }[event.key];
    if (event.key === "Enter" && at < 0 && event.target === byId("jump-search") && list.length) {
      event.preventDefault();
      list[0].click();
    }
    if (target === undefined || (at < 0 && event.key !== "ArrowDown")) return;
    event.preventDefault();
    (list[target] || byId("jump-search")).focus();
  };

  return {
    start(goTo) {
      choose = goTo;
      byId("jump").addEventListener("keydown", keys);
      byId("jump-search").addEventListener("input", draw);
      byId("jump-close").addEventListener("click", () => byId("jump").close());
    },
    open(allItems, at) {
      items = allItems;
      position = at;
      wanted = "";
      byId("jump-search").value = "";
      draw();
      byId("jump").showModal();
      const own = byId("jump-items").querySelector('[aria-current="true"]') || buttons()[0];
      if (own) own.focus();
    },
  };
})();
