// From the address behind `#` to a page: #/memory/ID, #/search?q=redis&within=turns.

/** What an address says: the page's name, the id after it, and the parameters. */
export function parse(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [name, ...rest] = path.split("/");
  return { name: name || "today", id: decode(rest.join("/")), query: new URLSearchParams(query) };
}

/** The address of a page. */
export function address(name, id = "", parameters = {}) {
  const query = new URLSearchParams(
    Object.entries(parameters).filter(([, value]) => value !== "" && value != null),
  );
  const path = id ? `#/${name}/${encodeURIComponent(id)}` : `#/${name}`;
  return query.size ? `${path}?${query}` : path;
}

export function go(hash) {
  location.hash = hash;
}

/** Call whenever the address changes, and now. */
export function follow(show) {
  window.addEventListener("hashchange", () => show(parse(location.hash)));
  show(parse(location.hash));
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
