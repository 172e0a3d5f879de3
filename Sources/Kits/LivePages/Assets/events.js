import { all, announce, app, on, page, post } from "./page.js";

// Sends the user's events in order. Sends each event again until the server has accepted it.

// Called when a request fails. connection.js sets these functions, so that this script need not
// import connection.js.
export const refusals = { unanswered() {}, signedOut() {}, unknownPage() {} };

let outgoing = [], number = 0, isSending = false;

// Pressed elements whose effect the page doesn't show, each with the number of its event.
const busy = new Map();

// Shows which presses are in progress. Called after each change of the page too, because new markup
// doesn't contain `aria-busy`.
export function showBusy(isOver = !page.isOnline) {
  for (const [element, n] of busy) {
    if (!isOver && n > page.settled) element.setAttribute("aria-busy", "true");
    else {
      element.removeAttribute("aria-busy");
      busy.delete(element);
    }
  }
}

function noteBusy(element, kind) {
  const shown = {
    submit: () => element.querySelector("[type=submit]"), file: () => element.closest("label"),
  };
  busy.set(shown[kind]?.() ?? element, number);
  showBusy();
}

export const isSendingFile = () => outgoing.some(({ file }) => file);

export function fire(element, kind, value, file) {
  if (!(kind in element.dataset) || page.isShell) return;
  const kept = app.fired(element, kind, value);
  // While offline, drops events that the app sends later by itself. Also drops the progress of a
  // hold, which would be outdated later.
  if (!page.isOnline && (kept || kind === "hold")) return;
  const isPress = /tap|submit/.test(kind);
  // Drops every other press, which would take effect when the user no longer expects it. A button
  // that closes a dialog still does so.
  if (!page.isOnline && isPress) return "closes" in element.dataset
    ? fire(element.closest("dialog"), "dismiss")
    : announce("Available when you’re back online.");
  // Drops a second press while the page doesn't show the effect of the first press.
  if (isPress && outgoing.some((it) => it.element === element && it.event.n > page.settled))
    return;
  // Keeps only the latest text of a field. Cuts a text that no feature accepts after 16,001 Unicode
  // scalars, as the server does. The server refuses a longer batch.
  if (kind === "input") {
    value = [...value].slice(0, 16001).join("");
    outgoing = outgoing.filter((it) => it.element !== element);
  }
  element.sent = ++number;
  if (isPress || kind === "file" || (kind === "hold" && value === 1)) noteBusy(element, kind);
  const event = { n: number, v: value, ...place(element, kind) };
  outgoing.push({ event, element, kind, file, kept });
  // An open dialog would hide the buttons that work offline.
  if (!page.isOnline && kind === "dismiss") element.close();
  flush();
}

const place = (element, kind) => ({
  p: element.closest("[data-p]").dataset.p, i: +element.dataset[kind], g: +page.generation,
});

export async function flush() {
  if (isSending || !outgoing.length || !page.isOnline) return;
  isSending = true;
  const [{ event, file }] = outgoing;
  // The server rejects a batch of more than 50 events.
  const end = outgoing.findIndex(({ file }, i) => file || i > 49);
  const batch = outgoing.slice(0, end < 0 ? 50 : end || 1);
  // The field may have moved since the event, so the event gets the field's current place.
  for (const { event, element, kind } of batch) if (kind === "input" && element.isConnected)
    Object.assign(event, place(element, kind));
  const answer = await (file
    ? post(`/web/files/${event.p}.${event.i}?view=${page.view}`
      + `&generation=${event.g}&number=${event.n}`, file, 60000)
    : post("/web/events", { view: page.view, events: batch.map(({ event }) => event) }));
  isSending = false;
  if (!answer) {
    if (file) announce("The file was not sent. Please try again.");
    // Removes events that must not be sent again: files, holds, and events that the app sends by
    // itself.
    outgoing = outgoing.filter((it) => !it.kept && it.kind !== "hold" && !it.file);
    return refusals.unanswered();
  }
  if (answer.status === 401) return refusals.signedOut();
  if (answer.status === 410) return refusals.unknownPage();
  outgoing = outgoing.filter((it) => !batch.includes(it));
  // Only 204 says that the server has accepted all events. The app is told only about accepted
  // events, because it sends the others by itself.
  if (answer.status !== 204) tellOfChange(batch);
  else for (const { kept } of batch) if (kept) app.taken(kept);
  flush();
}

// Tells the user of presses that had no effect. Ignores buttons that have pressed themselves.
const tellOfChange = (entries) => entries.some(({ element }) => !element?.dataset.brief)
  && announce("The page had changed. Please try again.", "assertive");

// Called after a whole new page has replaced the old page. Sends the typed text again, because the
// new page doesn't contain it. Closes the dialogs that were closed offline. Keeps events with a
// path, which any page can handle: a tapped notification may have sent one. Tells the user of a
// press that the server has not received, because the press belongs to the old page.
export function startOver() {
  tellOfChange(outgoing.filter(({ kind, kept, event }) =>
    /tap|submit/.test(kind) && !kept && event.n > page.settled));
  outgoing = outgoing.filter(({ event }) => event.path);
  showBusy(true);
  for (const field of all("[data-input]")) if (field.sent) fire(field, "input", field.value);
  for (const dialog of all("dialog:not([open])")) fire(dialog, "dismiss");
  flush();
}

on("input", ({ target }) => {
  fire(target, "input", target.value);
  if (target.value.length >= target.dataset.submitAt) target.form.requestSubmit();
});

on("change", ({ target }) => {
  fire(target, "toggle", target.checked);
  fire(target, "choose", target.value);
  if (!target.files?.[0]) return;
  // Cuts a file that is too large one byte after the limit. The server reads and refuses such a
  // file, but closes the connection for a larger body.
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

on("keydown", (event) => {
  if (event.repeat && event.key === "Enter" && event.target.closest("button,a,summary"))
    event.preventDefault();
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

// Handles a hold with the pointer or with a key. Sends an event after each quarter of the hold, and
// at its end.

let held, holdBegan, holdTold;

function beginHold(event) {
  const target = event.target.closest("[data-hold]:not([disabled])");
  if (target) event.preventDefault();
  if (held || !target) return;
  held = target;
  holdBegan = holdTold = 0;
  requestAnimationFrame(growHold);
}

// Reports the progress of a hold. Without a handler on the server, only dispatches the event `held`
// when the hold is complete.
function tellHold(share) {
  if (held.dataset.hold) fire(held, "hold", share);
  else if (share === 1) held.dispatchEvent(new Event("held"));
}

function growHold(now) {
  if (!held) return;
  holdBegan ||= now;
  const share = Math.min(1, (now - holdBegan) / 1000 / held.dataset.holdSeconds);
  held.style.setProperty("--hold", share);
  const quarter = Math.floor(share * 4) / 4;
  if (quarter > holdTold) tellHold((holdTold = quarter));
  if (share < 1 && held.isConnected) requestAnimationFrame(growHold);
  else endHold();
}

function endHold() {
  if (!held) return;
  held.style.setProperty("--hold", 0);
  if (holdTold < 1) tellHold(0);
  held = undefined;
}

const isKey = ({ key }) => key === " " || key === "Enter";
on("pointerdown", (event) => event.button === 0 && beginHold(event));
on("keydown", (event) => isKey(event) && beginHold(event));
on("keyup", (event) => isKey(event) && endHold());
on("pointerup", endHold);
on("pointercancel", endHold);
addEventListener("blur", endHold);
