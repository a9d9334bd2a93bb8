// The beginning: sign in, draw the frame, and show the page that the address names.

import { get, hasSession, onSignedOut, signIn, signOut } from "./api.js";
import { replace } from "./dom.js";
import { addKeys, listenToKeys, showKeys } from "./keyboard.js";
import { hangUp, listen, onChange } from "./live.js";
import { once, Page } from "./page.js";
import { follow, go, parse } from "./router.js";
import { Shell, showWaiting } from "./shell.js";
import { applyTheme } from "./theme.js";
import { showSignIn } from "./views/sign_in.js";
import { undoLast } from "./components/toast.js";
import * as brief from "./views/brief.js";
import * as health from "./views/health.js";
import * as memory from "./views/memory.js";
import * as search from "./views/search.js";
import * as session from "./views/session.js";
import * as timeline from "./views/timeline.js";
import * as today from "./views/today.js";
import * as told from "./views/told.js";

const VIEWS = { today, timeline, search, memory, session, brief, told, health };
const app = document.getElementById("app");
let shell = null;
let page = null;

async function begin() {
  applyTheme();
  const code = takeCode();
  try {
    if (code) await start(await signIn({ code }).catch(codeRefused));
    else if (hasSession()) await start(await get("/viewer/api/me"));
    else await askWhoItIs();
  } catch (error) {
    await askWhoItIs(error);
  }
}

/** The one-time code of the address, which loses it at once. */
function takeCode() {
  const [, code] = location.hash.match(/^#code=(.+)$/) ?? [];
  if (code) history.replaceState(null, "", location.pathname);
  return code;
}

function codeRefused(refusal) {
  throw refusal.status === 401 ? new Error("That code was used already, or it is too old.") : refusal;
}

async function askWhoItIs(error = null) {
  hangUp();
  page?.leave();
  shell = null;
  const { local } = await get("/viewer/api/entry").catch(() => ({ local: true }));
  showSignIn(app, { local, error, done: start });
}

async function start(me) {
  shell = new Shell(me, { signOut: async () => (await signOut(), askWhoItIs()) });
  replace(app, shell.element);
  listen();
  countWaiting();
  show(parse(location.hash));
}

/** Say beside Today what waits, whichever page stands. */
async function countWaiting() {
  const { total } = await get("/viewer/api/inbox", { limit: 1 }).catch(() => ({ total: 0 }));
  showWaiting(total);
}

function show(route) {
  if (!shell || location.hash.startsWith("#code=")) return;
  const name = route.name in VIEWS ? route.name : "today";
  page?.leave();
  page = new Page(shell.freshMain(location.hash), { ...route, name }, shell.me);
  shell.mark(name);
  const standing = page;
  page.attempt(() => VIEWS[name].show(standing));
}

addKeys([
  { keys: "g t", says: "Today", run: () => go("#/today") },
  { keys: "g l", says: "Timeline", run: () => go("#/timeline") },
  { keys: "g s", says: "Search", run: () => go("#/search") },
  { keys: "g b", says: "Brief preview", run: () => go("#/brief") },
  { keys: "g h", says: "Health", run: () => go("#/health") },
  { keys: "/", says: "Search", run: () => go("#/search") },
  { keys: "u", says: "Undo what was just done", run: undoLast },
  { keys: "?", says: "These keys", run: showKeys },
]);
listenToKeys();
onChange(once(countWaiting));
onSignedOut(() => askWhoItIs(new Error("The session is over. Sign in again.")));
window.addEventListener(
  "unhandledrejection",
  (event) => event.reason?.name === "AbortError" && event.preventDefault(),
);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the part behind # is the router's
  document.getElementById("main")?.focus();
});
window.addEventListener("hashchange", () => location.hash.startsWith("#code=") && begin());
follow(show);
begin();
