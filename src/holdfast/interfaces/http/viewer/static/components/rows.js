// Going through a list by keys: j and k move the focus from row to row, Enter opens what has it.

const ROW = "[data-row]";

/** The keys of a list. */
export function rowKeys(container) {
  return [
    { keys: "j", says: "Next", run: () => step(container, 1) },
    { keys: "k", says: "Previous", run: () => step(container, -1) },
    { keys: "Enter", says: "Open", run: () => openRow(container) },
  ];
}

/** The row that has the focus, if one has. */
export function focusedRow(container) {
  const row = document.activeElement?.closest(ROW);
  return row && container.contains(row) ? row : null;
}

/** Draw a list anew and leave the focus on the row, or at least at the place, that had it. */
export function keepingFocus(container, draw) {
  const focused = focusedRow(container);
  const position = focused ? rows(container).indexOf(focused) : -1;
  const id = focused?.dataset.row;
  draw();
  if (position < 0) return;
  const fresh = rows(container);
  const row = fresh.find(({ dataset }) => dataset.row === id) ?? fresh[Math.min(position, fresh.length - 1)];
  target(row)?.focus({ preventScroll: true }); // who scrolled on meanwhile is not taken back
}

export function focusRow(row) {
  target(row)?.focus();
  row?.scrollIntoView({ block: "nearest" });
}

function target(row) {
  return row?.matches("[tabindex]") ? row : row?.querySelector("a, button");
}

export const rows = (container) => [...container.querySelectorAll(ROW)];

function step(container, by) {
  const all = rows(container);
  const position = all.indexOf(focusedRow(container));
  focusRow(
    all[position < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(position + by, 0), all.length - 1)],
  );
}

function openRow(container) {
  const row = focusedRow(container) ?? rows(container)[0];
  row?.querySelector("a[href]")?.click();
}
