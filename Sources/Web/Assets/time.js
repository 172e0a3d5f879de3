import { all } from "./page.js";

// Time, in the viewer's zone.

const span = (seconds) => {
  const [d, h, m] = [Math.floor(seconds / 86400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60];
  if (d) return `${d} d ${h} h`;
  if (h) return `${h} h ${m} min`;
  return m ? `${m} min ${seconds % 60} s` : `${seconds} s`;
};
const ago = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const relative = (seconds) => {
  for (const [unit, size] of [["day", 86400], ["hour", 3600], ["minute", 60]]) {
    if (Math.abs(seconds) >= size) return ago.format(Math.trunc(seconds / size), unit);
  }
  return seconds > 0 ? "in a moment" : "just now";
};
const absolute = (date) => {
  const isToday = date.toDateString() === new Date().toDateString();
  return date.toLocaleString([], isToday ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" });
};
const clock = (seconds) => [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  .filter((value, index) => index || value).map((value) => String(value).padStart(2, "0")).join(":");

export function tick() {
  const now = Date.now();
  for (const element of all("time[datetime]")) {
    const { countdown, stopwatch, relative: isRelative, absolute: isAbsolute } = element.dataset;
    const date = new Date(element.dateTime);
    const left = Math.round((date - now) / 1000);
    let text;
    if (countdown !== undefined) text = left > 0 ? span(left) : `${span(-left)} overdue`;
    else if (stopwatch !== undefined) text = clock(Math.max(0, -left));
    else if (isRelative !== undefined) text = relative(left);
    else if (isAbsolute !== undefined) text = absolute(date);
    if (text !== undefined && element.textContent !== text) element.textContent = text;
    if (!element.title) element.title = date.toLocaleString();
  }
  for (const element of all("[data-ring]")) {
    const [start, end] = element.dataset.ring.split(" ").map((text) => Date.parse(text));
    element.style.setProperty("--ring", Math.min(1, Math.max(0, (end - now) / (end - start || 1))));
  }
  for (const element of all("[data-fill]")) element.style.setProperty("--fill", element.dataset.fill);
}
