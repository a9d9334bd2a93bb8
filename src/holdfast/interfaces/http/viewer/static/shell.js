// The frame around every page: where one can go, whose memory it is, whether it is live.

import { h, replace } from "./dom.js";
import { icon, logo } from "./icons.js";
import { showKeys } from "./keyboard.js";
import { onConnection } from "./live.js";
import { currentTheme, switchTheme } from "./theme.js";
import { toastCorner } from "./components/toast.js";

const PLACES = [
  ["today", "Today"],
  ["timeline", "Timeline"],
  ["search", "Search"],
  ["brief", "Brief"],
  ["health", "Health"],
];
const PARENTS = { memory: "timeline", session: "timeline", told: "timeline" };

export class Shell {
  constructor(me, { signOut }) {
    this.me = me;
    this._links = new Map(PLACES.map(([name, label]) => [name, link(name, label)]));
    this._main = h("main", { id: "main", tabindex: -1 });
    this.element = h(
      "div",
      { class: "shell" },
      h(
        "header",
        { class: "side" },
        h("a", { class: "brand", href: "#/today" }, logo(), h("span", {}, "holdfast")),
        h("nav", { "aria-label": "Pages" }, [...this._links.values()]),
        h(
          "div",
          { class: "side-foot" },
          connection(),
          h("p", { class: "project", title: me.project }, projectName(me.project)),
          h("div", { class: "side-buttons" }, themeButton(), keysButton(), !me.local && signOutButton(signOut)),
        ),
      ),
      notices(me),
      this._main,
      toastCorner(),
    );
  }

  /** An empty place for the next page, which is known by its address. */
  freshMain(route) {
    const fresh = h("main", { id: "main", tabindex: -1, dataset: { route } });
    this._main.replaceWith(fresh);
    this._main = fresh;
    window.scrollTo(0, 0);
    return fresh;
  }

  /** Show which page stands. */
  mark(name) {
    const place = PARENTS[name] ?? name;
    for (const [own, element] of this._links) {
      if (own === place) element.setAttribute("aria-current", "page");
      else element.removeAttribute("aria-current");
    }
  }
}

/** Say beside Today how much waits for a person. */
export function showWaiting(total) {
  for (const badge of document.querySelectorAll(".waiting-count")) {
    badge.textContent = total ? String(total) : "";
    badge.hidden = !total;
  }
}

function link(name, label) {
  const badge = name === "today" && h("span", { class: "waiting-count", hidden: true });
  return h("a", { href: `#/${name}` }, icon(name), h("span", {}, label), badge);
}

function connection() {
  const dot = h("span", { class: "dot", "aria-hidden": "true" });
  const text = h("span", {}, "connecting");
  const line = h("p", { class: "connection" }, dot, text);
  onConnection((isLive) => {
    line.dataset.live = isLive;
    text.textContent = isLive ? "live" : "not connected";
  });
  return line;
}

function notices(me) {
  const texts = [
    me.off && `Memory is switched off: ${me.off}`,
    me.read_only && `Memory can be read, not changed: ${me.read_only}`,
    !me.person && `Signed in with a token of scope ${me.scope}: what only a person may do becomes a proposal.`,
  ].filter(Boolean);
  return texts.length
    ? h(
        "div",
        { class: "notices" },
        texts.map((text) => h("p", {}, text)),
      )
    : null;
}

function themeButton() {
  const button = h("button", { type: "button", class: "quiet", onclick: () => show(switchTheme()) });
  const show = (theme) => {
    replace(button, icon(theme));
    button.setAttribute("aria-label", `Theme: ${theme}. Switch`);
    button.title = `Theme: ${theme}`;
  };
  show(currentTheme());
  return button;
}

function keysButton() {
  return h(
    "button",
    { type: "button", class: "quiet", title: "Keys (?)", "aria-label": "Keys", onclick: showKeys },
    "?",
  );
}

function signOutButton(signOut) {
  return h("button", { type: "button", class: "quiet", onclick: signOut }, "Sign out");
}

function projectName(project) {
  return project.split("/").filter(Boolean).slice(-2).join("/") || project;
}
