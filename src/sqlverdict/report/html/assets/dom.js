// Elements are made here, and text goes in as text: nothing from the data is read as HTML.

const SVG = "http://www.w3.org/2000/svg";
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const UNPAIRED = /\p{Surrogate}/gu;

/** Text with control characters and marks that turn the reading direction spelt out. */
function visible(text) {
  return String(text).replace(CONTROL, spell).replace(UNPAIRED, spell);
}

function spell(character) {
  const code = character.codePointAt(0);
  if (code > 0xffff) return "\\U" + code.toString(16).padStart(8, "0");
  return code < 256 ? "\\x" + code.toString(16).padStart(2, "0") : "\\u" + code.toString(16).padStart(4, "0");
}

/** An element: `el("td.number", {title: "…"}, "text", child, …)`; null children are left out. */
function el(kind, attributes, ...children) {
  const [tag, ...classes] = kind.split(".");
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(" ");
  return filled(node, attributes, children);
}

function svg(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : visible(value));
  }
  put(node, children);
  return node;
}

function put(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : visible(child));
  }
  return node;
}

/** Replaces all that an element holds. */
function fill(node, ...children) {
  node.replaceChildren();
  return put(node, children);
}

/** What tells a control from the others around it; a control that is drawn anew has the same. */
const controlKey = (node) => `${node.tagName} ${node.dataset.key || node.getAttribute("aria-label") || node.textContent}`;

/** Draws something anew and leaves the focus on the control that had it, where there still is one. */
function keepFocus(draw) {
  const before = document.activeElement, key = before && controlKey(before);
  const home = before && before.parentElement && before.parentElement.closest("[id]");
  draw();
  if (!home || before === document.body || before.isConnected) return;
  const same = [...home.querySelectorAll("a, button, input, select, summary, [tabindex]")].find((node) => controlKey(node) === key);
  if (same) same.focus({ preventScroll: true });
}

/** Whether no control has the focus: the one that had it is gone or hidden. */
function focusIsLost() {
  const { activeElement } = document;
  return !activeElement || activeElement === document.body || activeElement.getClientRects().length === 0;
}

const by = (id) => document.getElementById(id);
const number = (value) => value.toLocaleString("en-US");
const percent = (value, digits = 1) => (value === null || value === undefined ? "–" : (100 * value).toFixed(digits) + "%");
const counted = (many, word) => `${number(many)} ${word}${many === 1 ? "" : "s"}`;

/** Says something to readers of screens, and shows it for a moment on a button. */
function announce(text, button) {
  by("said").textContent = text;
  if (!button) return;
  const before = button.textContent;
  button.textContent = text;
  setTimeout(() => { button.textContent = before; }, 1500);
}

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    announce("Copied", button);
  } catch {
    announce("Not allowed to copy", button);
  }
}

function download(name, text) {
  const link = el("a", { download: name, href: URL.createObjectURL(new Blob([text], { type: "text/csv" })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
