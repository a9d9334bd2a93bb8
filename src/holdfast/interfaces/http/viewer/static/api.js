// Requests to the server. The key of the session goes with every one; a refusal becomes an error that people read.

const STORAGE_KEY = "holdfast-session";
const PROJECT_KEY = "holdfast-project";

let session = stored(STORAGE_KEY);
let project = stored(PROJECT_KEY);
let signedOut = () => {};

/** What the server refused, with the sentence that says why. */
export class Refused extends Error {
  constructor(status, problem) {
    super(problem.detail || problem.title || `The server answered with status ${status}.`);
    this.status = status;
    this.error = problem.error;
  }
}

/** A change that waits for a person now, because who asked may only propose it. */
export class Proposed extends Refused {}

export const hasSession = () => Boolean(session);

/** Call when the server knows the session no longer. */
export function onSignedOut(act) {
  signedOut = act;
}

export const get = (path, parameters = {}, options = {}) =>
  send("GET", withQuery(path, parameters), undefined, options);
export const post = (path, body = {}, options = {}) => send("POST", path, body, options);
export const patch = (path, body) => send("PATCH", path, body);

/** Show a one-time code or a token, and keep the session that it gives. */
export async function signIn(proof, ofProject = "") {
  keep(PROJECT_KEY, (project = ofProject));
  const answer = await send("POST", "/viewer/api/login", proof);
  keep(STORAGE_KEY, (session = answer.session));
  return answer.me;
}

export async function signOut() {
  await post("/viewer/api/logout").catch(() => null);
  keep(STORAGE_KEY, (session = ""));
}

/** The headers that every request needs. */
export function headers() {
  const own = { "Holdfast-Viewer": "1" };
  if (session) own.Authorization = `Bearer ${session}`;
  if (project) own["Holdfast-Project"] = encodeURIComponent(project);
  return own;
}

async function send(method, path, body, { signal } = {}) {
  const sent = headers();
  if (body !== undefined) sent["Content-Type"] = "application/json";
  const response = await reach(path, { method, headers: sent, body: body && JSON.stringify(body), signal });
  const content = await response.json().catch(() => ({}));
  if (response.status === 202) throw new Proposed(202, content);
  if (response.ok) return content;
  if (response.status === 401 && session) {
    keep(STORAGE_KEY, (session = ""));
    signedOut();
  }
  throw new Refused(response.status, content);
}

async function reach(path, options) {
  try {
    return await fetch(path, {
      ...options,
      cache: "no-store",
      credentials: "omit",
      referrerPolicy: "no-referrer",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, { detail: "The server does not answer. Is `holdfast view` still running?" });
  }
}

function withQuery(path, parameters) {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    [value].flat().filter((item) => item !== "" && item != null).map((item) => [name, item]),
  );
  return pairs.length ? `${path}?${new URLSearchParams(pairs)}` : path;
}

function stored(key) {
  try {
    return sessionStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

function keep(key, value) {
  try {
    sessionStorage.setItem(key, value);
  } catch {
    // Without a storage the session lasts as long as the page.
  }
}
