// Times, numbers and names as people read them. Times are epoch milliseconds.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const time = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: "long" });
const thisYear = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const otherYear = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });
const month = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric" });
const longDay = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const numbers = new Intl.NumberFormat();

/** "just now", "12 min ago", "14:05", "yesterday 14:05", "3 Nov", "3 Nov 2024". */
export function ago(at, now = Date.now()) {
  const past = now - at;
  if (past >= 0 && past < MINUTE) return "just now";
  if (past >= 0 && past < HOUR) return `${Math.floor(past / MINUTE)} min ago`;
  const days = daysBetween(at, now);
  if (days === 0) return `today ${time.format(at)}`;
  if (days === 1) return `yesterday ${time.format(at)}`;
  return date(at, now);
}

/** A day without its time: "3 Nov", with the year where it is another. */
export function date(at, now = Date.now()) {
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return (sameYear ? thisYear : otherYear).format(at);
}

/** The heading of a part of a list: "Today", "Yesterday", "Monday", and before this week "October 2026". */
export function dayOrMonth(at, now = Date.now()) {
  const days = daysBetween(at, now);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  return (isThisWeek(at, now) ? weekday : month).format(at);
}

export function isThisWeek(at, now = Date.now()) {
  const days = daysBetween(at, now);
  return days >= 0 && days < 7;
}

export const clock = (at) => time.format(at);
export const fullTime = (at) => whole.format(at);
export const longDate = (at) => longDay.format(at);

/** "in 3 days", "in 5 h": how long something still lasts. */
export function until(at, now = Date.now()) {
  const left = at - now;
  if (left <= 0) return "now";
  if (left < HOUR) return `in ${Math.max(1, Math.round(left / MINUTE))} min`;
  if (left < 2 * DAY) return `in ${Math.round(left / HOUR)} h`;
  return `in ${Math.round(left / DAY)} days`;
}

/** "42 s", "18 min", "2 h 5 min": how long something took. */
export function length(milliseconds) {
  if (milliseconds < MINUTE) return `${Math.round(milliseconds / 1000)} s`;
  if (milliseconds < HOUR) return `${Math.round(milliseconds / MINUTE)} min`;
  const hours = Math.floor(milliseconds / HOUR);
  const minutes = Math.round((milliseconds % HOUR) / MINUTE);
  return minutes ? `${hours} h ${minutes} min` : `${hours} h`;
}

export const number = (value) => numbers.format(value);

/** "1 memory", "3 memories". */
export function count(value, noun, plural = `${noun}s`) {
  return `${number(value)} ${value === 1 ? noun : plural}`;
}

export function bytes(value) {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  let size = value;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit && size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}

/** A score or a part of one. */
export const score = (value) => value.toFixed(2);
export const percent = (value) => (value > 0 && value < 0.01 ? "under 1 %" : `${Math.round(value * 100)} %`);

/** "file_change" → "file change". */
export const words = (name) => name.replaceAll("_", " ");

function daysBetween(at, now) {
  const midnight = (moment) => new Date(moment).setHours(0, 0, 0, 0);
  return Math.round((midnight(now) - midnight(at)) / DAY);
}
