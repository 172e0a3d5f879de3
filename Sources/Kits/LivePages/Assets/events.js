import { all, announce, app, on, page, post } from "./page.js";

// The person's events are sent in order; each is sent until the server has taken it.

// Called for a request that came to nothing. connection.js puts its functions here, so that this
// script need not import it.
export const refusals = { unanswered() {}, signedOut() {}, unknownPage() {} };

let outgoing = [], number = 0, isSending = false;

export const isSendingFile = () => outgoing.some(({ file }) => file);

export function fire(element, kind, value, file) {
  if (!(kind in element.dataset) || page.isShell) return;
  const kept = app.fired(element, kind, value);
  // A quarter of a hold means nothing later.
  if (!page.isOnline && (kept || kind === "hold")) return;
  const isPress = /tap|submit/.test(kind);
  // A second press before the page shows the first one is dropped.
  const isTwice = (entry) => entry.element === element && entry.event.n > page.settled;
  if (isPress && outgoing.some(isTwice)) return;
  // Only the latest text of a field counts.
  if (kind === "input") outgoing = outgoing.filter((entry) => entry.element !== element);
  element.sent = ++number;
  const event = { n: number, v: value, ...place(element, kind) };
  outgoing.push({ event, element, kind, file, kept });
  if (!page.isOnline && isPress) announce("Available when you’re back online.");
  flush();
}

const place = (element, kind) => ({
  p: element.closest("[data-p]").dataset.p, i: +element.dataset[kind], g: +page.generation,
});

export async function flush() {
  if (isSending || !outgoing.length || !page.isOnline) return;
  isSending = true;
  const [{ event, file }] = outgoing;
  const end = outgoing.findIndex((entry) => entry.file);
  const batch = outgoing.slice(0, end < 0 ? 50 : end || 1);
  // The page may have been rendered since: a field is named by its present place.
  for (const { event, element, kind } of batch) if (kind === "input" && element.isConnected)
    Object.assign(event, place(element, kind));
  const answer = await (file
    ? post(`/web/files/${event.p}.${event.i}?view=${page.view}`
      + `&generation=${event.g}&number=${event.n}`, file, 60000)
    : post("/web/events", { view: page.view, events: batch.map((entry) => entry.event) }));
  isSending = false;
  if (!answer) {
    if (file) announce("The file was not sent. Please try again.");
    keepPressed(({ file }) => !file);
    return refusals.unanswered();
  }
  if (answer.status === 401) return refusals.signedOut();
  if (answer.status === 410) return refusals.unknownPage();
  outgoing = outgoing.filter((entry) => !batch.includes(entry));
  if (answer.status === 200) announce("The page had changed. Please try again.");
  // The app itself sends what was refused.
  else for (const { kept } of batch) if (kept) app.taken(kept);
  flush();
}

// The app sends presses marked `data-offline`; of the others only those that `mayWait` are tried
// again.
function keepPressed(mayWait) {
  const entries = outgoing;
  const isKept = ({ element }) => element?.dataset.offline;
  const isOver = ({ kind, kept }) => kept || kind === "hold";
  outgoing = entries.filter((entry) => !isKept(entry) && !isOver(entry) && mayWait(entry));
  for (const { element, event } of entries.filter(isKept)) app.unanswered(element, event.n);
}

// A new page has replaced the old one and knows nothing of the text typed there.
export function startOver() {
  keepPressed(() => false);
  for (const field of all("[data-input]")) if (field.sent) fire(field, "input", field.value);
}

on("input", ({ target }) => {
  fire(target, "input", target.value);
  if (target.value.length >= target.dataset.submitAt) target.form.requestSubmit();
});

on("change", ({ target }) => {
  fire(target, "toggle", target.checked);
  fire(target, "choose", target.value);
  if (!target.files?.[0]) return;
  // The server refuses what is cut here as too large; it closes the connection on larger bodies.
  fire(target, "file", undefined, target.files[0].slice(0, 6000001));
  target.value = "";
});

on("submit", (event) => {
  event.preventDefault();
  fire(event.target, "submit");
});

on("cancel", (event) => {
  event.preventDefault();
  fire(event.target, "dismiss");
});

on("click", (event) => {
  const target = event.target.closest("[data-tap],[data-offline],[data-copy],[data-share]");
  if (!target || app.takesPress(target)) return;
  if (target.nodeName === "A") {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
  }
  const { copy, share } = target.dataset;
  fire(target, "tap");
  if (share && navigator.share) navigator.share({ url: share }).catch(() => {});
  else if (copy ?? share) navigator.clipboard.writeText(copy ?? share)
    .then(() => announce("Copied"), () => announce("Copying was not allowed"));
});

export function goTo(path) {
  outgoing.push({ event: { n: ++number, path } });
  flush();
}
