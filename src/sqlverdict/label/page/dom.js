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

// What can be voted, in the order of the keys. "results": for people who see results, not queries.
page.choicesOf = {
  queries: [
    ["only_a", "1", "Only A", "answers the question; B does not"],
    ["only_b", "2", "Only B", "answers the question; A does not"],
    ["both", "3", "Both", "answer it, also where they read it differently and either reading will do"],
    ["neither", "4", "Neither", "answers the question"],
    ["undecided", "5", "Can't tell", "the question does not decide it, or I do not know"],
    ["unanswerable", "6", "Unanswerable", "no query on this database answers it"],
    ["skip", "S", "Skip", "no vote"],
  ],
  results: [
    ["only_a", "1", "Only A", "answers the question; B does not"],
    ["only_b", "2", "Only B", "answers the question; A does not"],
    ["both", "3", "Both", "results answer the question"],
    ["neither", "4", "Neither", "answers the question"],
    ["undecided", "5", "Can't tell", "the question does not decide it, or I do not know"],
    ["skip", "S", "Skip", "no vote"],
  ],
};
page.choices = page.choicesOf.queries;

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
