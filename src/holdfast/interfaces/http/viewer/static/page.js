// A page while it stands: where it draws, what ends with it, its keys, and how it hears of changes.

import { h, replace } from "./dom.js";
import { Refused } from "./api.js";
import { onChange } from "./live.js";
import { setPageKeys } from "./keyboard.js";

const GATHER_MS = 250;

/** Do something once for all that comes within a moment. */
export function once(act) {
  let gathered = [];
  return (change) => {
    gathered.push(change);
    if (gathered.length > 1) return;
    setTimeout(() => {
      const changes = gathered;
      gathered = [];
      act(changes);
    }, GATHER_MS);
  };
}

export class Page {
  #ending = new AbortController();
  #address = location.hash;

  constructor(root, route, me) {
    this.root = root;
    this.route = route;
    this.me = me;
  }

  /** Ends when the page is left: pass it to requests and listeners. */
  get signal() {
    return this.#ending.signal;
  }

  leave() {
    this.#ending.abort();
    setPageKeys([]);
  }

  title(text) {
    document.title = text ? `${text} · holdfast` : "holdfast";
  }

  draw(...children) {
    if (!this.signal.aborted) replace(this.root, ...children);
  }

  /**
   * Say in the address what is on the page, without a step back to undo it. Where the address is another page's
   * already, that page is on its way, and nothing is said: it would be taken for a wish to stay.
   */
  amend(address) {
    if (location.hash !== this.#address) return;
    history.replaceState(null, "", address);
    this.#address = location.hash;
  }

  keys(bindings) {
    if (!this.signal.aborted) setPageKeys(bindings);
  }

  /** Returns what does something a while after it was last called for, unless the page was left by then. */
  soon(act) {
    let timer;
    return (wait) => {
      clearTimeout(timer);
      timer = setTimeout(() => this.signal.aborted || act(), wait);
    };
  }

  /** Call `act` after changes in the store: many that come together are one. */
  onChange(act) {
    onChange(
      once((changes) => this.signal.aborted || this.attempt(() => act(changes))),
      this.signal,
    );
  }

  /** Do something; what is refused is shown on the page, what ended with the page is not. */
  async attempt(act) {
    try {
      await act();
    } catch (error) {
      if (error.name === "AbortError" || this.signal.aborted) return;
      if (!(error instanceof Refused)) console.error(error);
      this.draw(trouble(error, () => this.attempt(act)));
    }
  }
}

function trouble(error, again) {
  const gone = error.status === 404;
  return h(
    "section",
    { class: "empty", role: "alert" },
    h("h1", {}, gone ? "It is not here" : "That did not work"),
    h("p", {}, error.message),
    h(
      "p",
      {},
      gone ? h("a", { href: "#/timeline" }, "What there is") : h("button", { onclick: again }, "Try again"),
    ),
  );
}
