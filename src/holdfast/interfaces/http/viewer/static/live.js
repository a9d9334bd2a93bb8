// Changes as the server tells of them, while the page is open: a stream of events read with fetch, which can show
// the session's key where EventSource cannot.

import { headers } from "./api.js";

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const listeners = new Set();
const watchers = new Set();
let last = null;
let stop = null;

/** Call with every change until the signal ends it. */
export function onChange(listener, signal) {
  listeners.add(listener);
  signal?.addEventListener("abort", () => listeners.delete(listener));
}

/** Call whenever the connection comes or goes. */
export function onConnection(watcher) {
  watchers.add(watcher);
}

export function listen() {
  stop?.abort();
  stop = new AbortController();
  keepListening(stop.signal);
}

export function hangUp() {
  stop?.abort();
  last = null; // the next one may look at another log
}

async function keepListening(signal) {
  let wait = FIRST_WAIT_MS;
  while (!signal.aborted) {
    try {
      const own = last === null ? headers() : { ...headers(), "Last-Event-ID": last };
      const response = await fetch("/api/events", {
        headers: own,
        signal,
        cache: "no-store",
        credentials: "omit",
      });
      if (response.status === 401) return;
      if (response.ok) {
        wait = FIRST_WAIT_MS;
        tell(watchers, true);
        await read(response.body.getReader());
      }
    } catch {
      // The server went, or the machine slept: it is asked again below.
    }
    if (signal.aborted) return;
    tell(watchers, false);
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(2 * wait, LONGEST_WAIT_MS);
  }
}

async function read(reader) {
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n");
    rest = blocks.pop();
    blocks
      .map(parse)
      .filter(Boolean)
      .forEach((change) => tell(listeners, change));
  }
}

function parse(block) {
  const fields = Object.fromEntries(
    block
      .split("\n")
      .filter((line) => line && !line.startsWith(":"))
      .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
  );
  if (fields.id) last = fields.id;
  if (!fields.event) return null;
  return fields.event === "gap" ? { action: "gap", ids: [] } : JSON.parse(fields.data);
}

function tell(audience, what) {
  for (const hear of [...audience]) hear(what);
}
