import { all, now, page, setText } from "./page.js";

// Formats times in the viewer's time zone, and durations in their two largest units: "3 h 12 min".

const sizes = [86400, 3600, 60, 1];
const split = (seconds) => sizes.map((size, index) =>
  Math.floor((seconds % (sizes[index - 1] ?? Infinity)) / size));
const two = (count) => String(count).padStart(2, "0");
const largest = (counts) => counts.findIndex((count, index) => count || index === 3);

function span(seconds) {
  const counts = split(seconds);
  // Uses hours for a duration below two days.
  if (counts[0] === 1) counts.splice(0, 2, 0, counts[1] + 24);
  const first = largest(counts);
  // The second number always has two digits, so that a running countdown keeps its width.
  return counts.map((count, index) =>
    `${index > first ? two(count) : count} ${["d", "h", "min", "s"][index]}`)
    .slice(first, first + 2).join(" ");
}

const spans = new Intl.RelativeTimeFormat("en");

function relative(left) {
  const unit = largest(split(Math.abs(left)));
  if (unit === 3) return left > 0 ? "in a moment" : "just now";
  return spans.format(Math.trunc(left / sizes[unit]), ["day", "hour", "minute"][unit]);
}

// The pages are in English, so the browser's language only chooses the region of the English. Some
// regions have another calendar by default. English has the same digits in all of them.
const locale = `${navigator.language.match(/^en(-\w\w+)?/)?.[0] ?? "en-GB"}-u-ca-gregory`;

// Caches formats: creating one takes 0.05 ms, and a page can contain hundreds of times. Each format
// keeps the time zone of its creation.
let formats = {};
function written(date, options) {
  const name = JSON.stringify(options);
  return (formats[name] ??= new Intl.DateTimeFormat(locale, options)).format(date);
}

const hour = { hour: "numeric", minute: "2-digit" };
const clock = (date) => written(date, hour);
export const onWeekday = (date, options) =>
  written(date, { weekday: "short", ...hour, ...options });
const onDay = (date, options) => written(date, { dateStyle: "medium", ...options });

const isToday = (date) => date.toDateString() === new Date(now()).toDateString();

// Formats a time. Adds the weekday if the time is on another day, or the date if it is at least six
// days away.
export function absolute(date) {
  if (Math.abs(date - now()) >= 6 * 86400000) return onDay(date, { timeStyle: "short" });
  return isToday(date) ? clock(date) : onWeekday(date);
}

function isTomorrow(date) {
  const tomorrow = new Date(now());
  tomorrow.setDate(tomorrow.getDate() + 1);
  return date.toDateString() === tomorrow.toDateString();
}

const words = {
  countdown: (left) => (left > 0 ? span(left) : `${span(-left)} overdue`),
  stopwatch: (left) => split(Math.max(0, -left)).map(two).join(":").replace(/^00:(00:)?/, ""),
  relative,
  // Shows the remaining time only in the last hour.
  deadline(left, date) {
    if (left <= 0) return `${span(-left)} overdue`;
    if (left < 3600) return `${span(left)} left`;
    return `by ${isTomorrow(date) ? `tomorrow, ${clock(date)}` : absolute(date)}`;
  },
  absolute: (left, date) => absolute(date),
  second: (left, date) => (isToday(date) ? "" : `${onDay(date)}, `)
    + written(date, { ...hour, second: "2-digit" }),
  when: (left, date) => `${relative(left)} · ${absolute(date)}`,
};

function showTurns(time) {
  for (const place of all("[data-turns]")) {
    const states = [...place.children];
    const shown = states.filter((state) => !(Date.parse(state.dataset.begins) > time)).at(-1);
    for (const state of states)
      if (state.hidden !== (state !== shown)) state.hidden = state !== shown;
  }
}

// Returns the time on another person's clock: " (Sun, 9:05 PM for them)". Returns an empty text if
// both clocks agree, or if the browser doesn't know the zone.
function there(date, zone) {
  const at = (timeZone) => onWeekday(date, { timeZone });
  try {
    return at() === at(zone) ? "" : ` (${at(zone)} for them)`;
  } catch { return ""; }
}

export function tick() {
  const time = now();
  formats = {};
  for (const element of all("time")) {
    const date = new Date(element.dateTime);
    const kind = Object.keys(words).find((name) => name in element.dataset);
    let text = words[kind]?.(Math.round((date - time) / 1000), date);
    const { zone } = element.dataset;
    if (zone && text) text += there(date, zone);
    if (text) setText(element, text);
  }
  showTurns(time);
  const age = page.isOnline || !page.asOf ? "" : absolute(new Date(page.asOf));
  for (const element of all("[data-age]"))
    setText(element, age && ` ${element.dataset.age} ${age}`);
  for (const element of all("[data-ring]")) {
    const [start, end] = element.dataset.ring.split(" ").map(Date.parse);
    element.style.setProperty("--ring", (end - time) / (end - start));
  }
}
