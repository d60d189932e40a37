// Elements, made of text alone: nothing that comes from data is ever read as HTML.
"use strict";

const page = {};

page.byId = (id) => document.getElementById(id);

// An element with attributes and children; children are elements or texts.
page.make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "onclick") element.addEventListener("click", value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
};

page.fill = (element, ...children) => element.replaceChildren(...children);

page.isTyping = (event) => {
  const tag = event.target.tagName;
  return tag === "TEXTAREA" || (tag === "INPUT" && event.target.type !== "checkbox");
};

page.count = (number, one, many) =>
  `${number.toLocaleString("en")} ${number === 1 ? one : many || one + "s"}`;

// What can be voted, in the order of the keys.
page.choices = [
  ["only_a", "1", "Only A", "answers the question; B does not"],
  ["only_b", "2", "Only B", "answers the question; A does not"],
  ["both", "3", "Both", "answer it, and mean the same"],
  ["either", "4", "Either reading", "they read it differently; both are acceptable"],
  ["neither", "5", "Neither", "answers the question"],
  ["ambiguous", "6", "Ambiguous", "the question does not decide it"],
  ["unanswerable", "7", "Unanswerable", "no query on this database answers it"],
  ["undecided", "8", "Undecided", "I cannot tell"],
  ["skip", "S", "Skip", "no vote"],
];

page.choiceButtons = (container, names, choose) => {
  page.fill(
    container,
    ...page.choices
      .filter(([choice]) => names[choice] !== null)
      .map(([choice, key, text, hint]) =>
        page.make(
          "button",
          {
            type: "button", class: `choice ${choice}`, "data-choice": choice,
            "aria-pressed": "false", "aria-keyshortcuts": key, title: hint,
            onclick: () => choose(choice),
          },
          page.make("kbd", {}, key),
          page.make("span", {}, names[choice] || text)
        )
      )
  );
};

page.pressChoice = (container, choice) => {
  for (const button of container.children)
    button.setAttribute("aria-pressed", String(button.dataset.choice === choice));
};

page.choiceOfKey = (key) => {
  const match = page.choices.find(([, own]) => own.toLowerCase() === key.toLowerCase());
  return match ? match[0] : null;
};

// A kappa as text: none where it has no meaning.
page.kappa = (value) => (value === null || value === undefined ? "–" : value.toFixed(2));

page.kappaText = (agreement) => {
  if (!agreement) return "";
  const texts = agreement.pairs
    .filter((pair) => pair.n > 0)
    .map((pair) => `κ ${page.kappa(pair.kappa)} (${pair.a}, ${pair.b}, ${pair.n})`);
  if (agreement.annotators.length > 2 && agreement.n > 0)
    texts.unshift(`Fleiss' κ ${page.kappa(agreement.fleiss)} (${agreement.n})`);
  return texts.join(" · ");
};
