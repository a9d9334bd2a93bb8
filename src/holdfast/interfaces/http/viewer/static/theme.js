// Light, dark, or as the system has it. The choice stays in this browser.

const KEY = "holdfast-theme";
const THEMES = ["system", "light", "dark"];

export function currentTheme() {
  const stored = read();
  return THEMES.includes(stored) ? stored : "system";
}

export function applyTheme(theme = currentTheme()) {
  document.documentElement.dataset.theme = theme;
}

/** The next of the three, and in force. */
export function switchTheme() {
  const next = THEMES[(THEMES.indexOf(currentTheme()) + 1) % THEMES.length];
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // A browser that keeps nothing has the theme until the page is left.
  }
  applyTheme(next);
  return next;
}

function read() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
