import { pressedOffline } from "./offline.js";
import { all, announce, page, post } from "./page.js";

// What a person does, sent in order, each until it was taken.

let outgoing = [], number = 0, isSending = false, line;

export const useLine = (it) => (line = it);
export const isSendingFile = () => outgoing.some((entry) => entry.file);

export function fire(element, kind, value, file) {
  const handler = element.dataset[kind];
  const owner = element.closest("[data-p]");
  if (handler === undefined || !owner || page.isShell) return;
  const event = { n: ++number, p: owner.dataset.p, i: Number(handler), g: page.generation };
  if (value !== undefined) event.v = value;
  outgoing.push({ event, element, kind, file, text: element.textContent });
  if ("value" in element) element.sent = number;
  flush();
}

export async function flush() {
  if (isSending || !outgoing.length || !page.isOnline) return;
  isSending = true;
  const files = outgoing[0].file ? 1 : outgoing.findIndex((entry) => entry.file);
  const batch = outgoing.slice(0, files < 0 ? 50 : files);
  const [{ event, file }] = batch;
  const answer = await (file
    ? post(`/web/files/${event.p}.${event.i}?view=${page.view}&generation=${event.g}&number=${event.n}`, file)
    : post("/web/events", { view: page.view, events: batch.map((entry) => entry.event) })
  ).catch(() => null);
  isSending = false;
  if (!answer || answer.status >= 500) return failed();
  if (answer.status === 401) return line.reload();
  if (answer.status === 410) return line.listen();
  outgoing = outgoing.filter((entry) => !batch.includes(entry));
  if (answer.status === 200 && (await answer.json()).refused.length) announce("The page had changed. Please try again.");
  flush();
}

function failed() {
  const pressed = outgoing.filter(({ element, kind }) => kind === "tap" && element.dataset.offline);
  outgoing = outgoing.filter((entry) => !pressed.includes(entry) && !entry.file);
  for (const { element } of pressed) pressedOffline(element);
  line.lost();
}

// A new page stands in the old one's place: what was pressed on it counts if it is still there and says the same.
export function resolveAgain() {
  outgoing = outgoing.filter(({ event, element, kind, text }) => {
    const owner = element.isConnected && element.closest("[data-p]");
    if (!owner || element.dataset[kind] === undefined || element.textContent !== text) return event.path !== undefined;
    Object.assign(event, { p: owner.dataset.p, i: Number(element.dataset[kind]), g: page.generation });
    return true;
  });
  flush();
}

function sendTyped(field) {
  clearTimeout(field.timer);
  field.timer = undefined;
  fire(field, "input", field.value);
}

const sendAllTyped = () => all("[data-input]").forEach((field) => field.timer && sendTyped(field));

document.addEventListener("input", ({ target }) => {
  if (target.dataset.input === undefined) return;
  clearTimeout(target.timer);
  target.timer = setTimeout(sendTyped, 120, target);
  if (target.value.length >= Number(target.dataset.submitAt ?? Infinity)) target.form?.requestSubmit();
});

document.addEventListener("change", ({ target }) => {
  if (target.dataset.toggle !== undefined) fire(target, "toggle", target.checked);
  if (target.dataset.choose !== undefined) fire(target, "choose", target.value);
  if (target.dataset.file !== undefined && target.files[0]) {
    fire(target, "file", undefined, target.files[0]);
    target.value = "";
  }
});

document.addEventListener("submit", (event) => {
  event.preventDefault();
  sendAllTyped();
  fire(event.target, "submit");
});

document.addEventListener("cancel", (event) => {
  if (event.target.nodeName !== "DIALOG") return;
  event.preventDefault();
  fire(event.target, "dismiss");
}, true);

document.addEventListener("click", (event) => {
  const target = event.target.closest("[data-tap],[data-offline],[data-copy],[data-share],[data-save]");
  if (!target || (target.nodeName === "A" && (event.metaKey || event.ctrlKey || event.shiftKey))) return;
  if (target.nodeName === "A") event.preventDefault();
  sendAllTyped();
  if (!page.isOnline && target.dataset.offline) pressedOffline(target);
  else if (target.dataset.tap !== undefined) fire(target, "tap");
  if (target.dataset.copy !== undefined) copy(target.dataset.copy);
  if (target.dataset.share !== undefined) share(target.dataset.share);
  if (target.dataset.save !== undefined) save(target.dataset.save);
});

addEventListener("popstate", () => {
  outgoing.push({ event: { n: ++number, path: location.pathname }, element: document.body });
  flush();
});

const copy = (text) => navigator.clipboard.writeText(text).then(() => announce("Copied"), () => announce("Copying was not allowed"));
const share = (url) => (navigator.share ? navigator.share({ url }).catch(() => {}) : copy(url));
const save = (id) => Object.assign(document.createElement("a"), { href: document.getElementById(id).src, download: `${id}.png` }).click();
