// Elements, made by calls. Text enters the page as text nodes only; markup in it is never read.

const SVG = "http://www.w3.org/2000/svg";

/** Make an HTML element. Attributes: `on…` adds a listener, `class`, `dataset`, true/false for flags. */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Make an SVG element. */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Put other children into an element. */
export function replace(element, ...children) {
  element.replaceChildren(...nodes(children));
  return element;
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) set(element, name, value);
  element.append(...nodes(children));
  return element;
}

function set(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "dataset") Object.assign(element.dataset, value);
  else if (value === true) element.setAttribute(name, "");
  else element.setAttribute(name, String(value));
}

function nodes(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false && child !== "")
    .map((child) => (child instanceof Node ? child : document.createTextNode(String(child))));
}
