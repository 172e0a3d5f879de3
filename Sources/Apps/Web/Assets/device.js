import { restore } from "./copy.js";
import { fillDrafts, keepDrafts } from "./drafts.js";
import { fire } from "./events.js";
import { takeShared } from "./kept.js";
import { isFresh, mine, present } from "./offline.js";
import { $, all, announce, app, here, now, on, page, setText } from "./page.js";

// Functions for signed-in users, such as drafts, and for the installed app, such as the number on
// its icon.

const isInstalled = navigator.standalone || matchMedia("(display-mode: standalone)").matches;

// MARK: Drafts

// Sheets with fields exist only after sign-in, when this script is loaded.
app.replacing = keepDrafts;

// MARK: Installing

// The browser's offer to install the app can be accepted once.
const isOffered = () => Boolean(page.installation);

on("click", async ({ target }) => {
  if (!target.closest("[data-install]") || !isOffered()) return;
  const { installation } = page;
  page.installation = undefined;
  await installation.prompt();
  show();
});

export function show() {
  for (const card of all("[data-installation]")) card.hidden = !isOffered();
  rememberOwn();
  keepLastAlert();
  keepCodesRequest();
  showBadge();
  useShared();
  raiseSheets();
  fillDrafts();
  repeatAlarms();
  offerAlert();
  showQueue();
  keepFocus();
  showSubject();
  if (!page.root.dataset.user && !page.isShell) dismissRefusals();
}

// MARK: The column beside the page

// The column doesn't scroll. It begins below the banner, and below the start of the page while that
// is in sight.
function placeColumn() {
  const places = [
    $("#connection").getBoundingClientRect().bottom, $("#page").getBoundingClientRect().top,
  ];
  page.root.style.setProperty("--above", `${Math.max(0, ...places)}px`);
}

const above = new ResizeObserver(placeColumn);
for (const part of all("#connection, #refused, #numbers")) above.observe(part);
addEventListener("scroll", placeColumn, { passive: true });

// MARK: The user's own alert and journey

// Stores them for the offline page, whose script shell.js shows them.
function rememberOwn() {
  const list = $("#phone-numbers");
  if (!list || !page.isOnline) return;
  const text = JSON.stringify({ ...list.dataset });
  try {
    if (localStorage.own !== text) localStorage.own = text;
  } catch {
    // A full storage is ignored, because the page works without it.
  }
}

// MARK: The alert at the end of the session

// Milliseconds. The longest wait of a sign-in, 7 days.
const longestWait = 7 * 24 * 3600 * 1000;
let lastAlert;

// Keeps the sign-in page's card about the user's alerts until the next sign-in, because a reload
// gets a page without the card. shell.js shows it on the offline page.
function keepLastAlert() {
  const card = $("#open-at-sign-out"), top = $(".top.narrow");
  const { at, html } = JSON.parse(localStorage.left ?? "{}");
  if (page.root.dataset.user || now() - at > longestWait) {
    lastAlert?.remove();
    delete localStorage.left;
  } else if (card && card !== lastAlert) {
    try {
      if (!html) localStorage.left = JSON.stringify({ at: now(), html: card.outerHTML });
    } catch {
      // A full storage is ignored, because the page shows the card.
    }
  } else if (html && top && !card) {
    const isNew = !lastAlert;
    top.insertAdjacentHTML("beforeend", html);
    lastAlert = top.lastElementChild;
    // The script of a later change would focus it again, while the user types.
    delete lastAlert.dataset.focus;
    if (isNew) lastAlert.focus();
  }
}

// MARK: The request for recovery codes

// Milliseconds. How long a request for recovery codes may be repeated.
const repeatedFor = 600000;
let keptRequest;

// Keeps the id of the request until the user has stored the codes, because a restart of the server
// takes them off the page. A repeat of the request shows the same codes.
function keepCodesRequest() {
  const place = $("[data-codes]"), user = present();
  const kept = JSON.parse(localStorage.codes ?? "{}");
  const isRecent = now() - kept.at < repeatedFor;
  // A later user of this browser must not see the codes by this id.
  if (kept.id && !isRecent) delete localStorage.codes;
  if (!place) return;
  const { codes } = place.dataset;
  if (codes === "over") delete localStorage.codes;
  else if (!codes) {
    // A page that replaces the present one lacks the id.
    const isFor = kept.user === user && isRecent;
    if (isFor && place.view !== page.view) fire(place, "input", kept.id);
    place.view = page.view;
  } else if (codes !== keptRequest) {
    keptRequest = codes;
    if (codes === kept.id) return;
    try {
      localStorage.codes = JSON.stringify({ user, id: codes, at: now() });
    } catch {
      // A full storage is ignored, because only a restart of the server needs it.
    }
  }
}

// MARK: The focus

// The focused element and its ancestors. Stored because a removed element has no ancestors.
let trail, focusedAt;

function follow(element) {
  focusedAt = here();
  for (trail = []; element; element = element.parentElement) trail.push(element);
}

on("focusin", ({ target }) => {
  follow(target);
  const dialog = target.closest("dialog");
  if (dialog) dialog.focused = target;
});
follow(document.activeElement);

// Moves the focus from an element that has gone to the heading of the nearest part that is still
// there. Without that, Tab would start behind an open sheet, or at the top of the page. A change of
// the page removes the heading's `tabindex`, and with it the focus.
function keepFocus() {
  const [focused] = trail;
  const isBare = focused?.matches("h1, h2, h3") && !focused.hasAttribute("tabindex");
  if (!isBare && document.activeElement !== document.body) return;
  const hasGone = focusedAt === here() && (isBare || focused?.isConnected === false);
  const part = hasGone
    && trail.find((it) => it.isConnected && it.matches("dialog[open], section, main"));
  trail = [];
  if (part) focusTitle(part);
  // The messages of the sign-in page are outside its parts.
  else if (hasGone) $("#open-at-sign-out")?.focus();
}

function focusTitle(part) {
  const title = part.querySelector("h1, h2, h3");
  if (!title) return;
  title.tabIndex = -1;
  title.focus({ preventScroll: true });
}

// The last button that was pressed in a sheet, and the sheet's title at that time. Safari doesn't
// focus a pressed button.
let pressed;

on("click", ({ target }) => {
  const button = target.closest("dialog button");
  const dialog = button?.closest("dialog");
  const title = dialog?.querySelector("h2");
  pressed = title && { button, dialog, title, text: title.textContent };
});

// Scrolls a sheet to its start once a press has given it another title and removed the button.
// Otherwise the same place of the sheet would be about something else.
function showSubject() {
  if (!pressed || pressed.button.isConnected) return;
  const { dialog, title, text } = pressed;
  pressed = undefined;
  if (title.textContent !== text) dialog.scrollTop = 0;
}

// MARK: Refusals

const refusals = $("#refused p");
let known = "";

const dismissRefusals = () => setText(refusals, (known = ""));

const keptRefusals = () => [].concat(JSON.parse(localStorage.refused ?? "[]"))
  .filter(({ user }) => user === present());

// The texts that this page shows.
let shown = keptRefusals().map(({ text }) => text);

// Stores the refusals for the next load of the page. Keeps those that another tab has stored.
function keepRefusals() {
  const texts = [...refusals.childNodes].map(({ data }) => data.trim()).filter(Boolean);
  const news = texts.filter((it) => !shown.includes(it));
  const gone = shown.filter((it) => !texts.includes(it));
  const user = present();
  shown = texts;
  try {
    const items = keptRefusals().filter(({ text }) => !gone.includes(text))
      .concat(news.map((text) => ({ user, text })));
    if (items[0]) localStorage.refused = JSON.stringify(items);
    else delete localStorage.refused;
  } catch {
    // A full storage is ignored, because the page shows the refusals.
  }
}

refusals.prepend(...shown.flatMap((text) => [text, " "]));
keepRefusals();
new MutationObserver(keepRefusals).observe(refusals, { childList: true });

on("click", ({ target }) => {
  if (!target.closest("#refused button")) return;
  dismissRefusals();
  // The button has gone. The page begins after it.
  $("#page :is(a, button)")?.focus({ preventScroll: true });
});

// Announces the refusals that came while the page was hidden.
on("visibilitychange", () => {
  const text = refusals.textContent;
  if (!document.hidden && text !== known) announce(text, "assertive");
  known = text;
});

// MARK: Sheets in the top layer

// A sheet that a change of the page has moved is still open, but lies below the page's bars, and
// the page accepts presses.
function raiseSheets() {
  // The screen of an unsent alert and the question before an alert stay on top.
  if ($("#calling, #ask-alert")) return;
  for (const dialog of all("dialog[data-modal][open]:not(:modal)")) {
    // The browser focuses the first button, which may do what a question asks.
    const wanted = [document.activeElement, dialog.focused, dialog.querySelector("[data-focus]")]
      .find((it) => it && dialog.contains(it));
    dialog.open = false;
    dialog.showModal();
    if (wanted) wanted.focus();
    else focusTitle(dialog);
  }
}

// The question before an alert closes without a change of the page.
setInterval(raiseSheets, 1000);

// MARK: Changes while offline

// Drops a checkbox's change, which would take effect when the user no longer expects it. Listens on
// the window, so that the page's own listener doesn't queue the event.
addEventListener("change", (event) => {
  const { target } = event;
  if (page.isOnline || !("toggle" in target.dataset)) return;
  event.stopPropagation();
  target.checked = !target.checked;
  announce("Available when you’re back online.");
}, true);

// MARK: Questions while offline

const { takesPress } = app;

// The button that answered the question about an unsent alert while offline, and its dialog.
let answer;

// An open question would hide that the stored end of the alert waits, or cover the check-in. This
// page keeps the answer about an unsent alert. Without the page, the question comes again.
app.takesPress = (button) => {
  const dialog = !page.isOnline && button.closest("dialog");
  const ends = "ends" in button.dataset;
  if (!dialog || !(ends || dialog.querySelector("#unsent-title"))) return takesPress(button);
  if (ends) {
    fire(button, "tap");
    fire(dialog, "dismiss");
  } else {
    answer = { button, dialog };
    // Keeps the dialog closed until the server has the answer.
    dialog.sent = Infinity;
    dialog.close();
  }
  announce("Waiting to be sent", "assertive");
  return true;
};

function sendAnswer() {
  if (!answer || !page.isOnline) return;
  const { button, dialog } = answer;
  answer = undefined;
  if (button.isConnected) fire(button, "tap");
  dialog.sent = button.sent;
}

setInterval(sendAnswer, 250);

// MARK: Alarms above a sheet

// The ids of the alarms that the page has shown outside a sheet.
let seen;

const alarmsOutside = () => all("[data-alarm]").filter((it) => !it.closest("dialog"));

// Everything outside an open sheet is hidden, so the sheet repeats the alarms that the page did not
// show before the sheet opened. It doesn't repeat the alarm that it is about.
function repeatAlarms() {
  const alarms = alarmsOutside();
  const ids = alarms.map(({ dataset }) => dataset.alarm);
  const dialogs = all("dialog[data-modal]");
  for (const dialog of dialogs) {
    dialog.known = (dialog.known ?? seen ?? ids).filter((id) => ids.includes(id));
    const own = [...dialog.known, dialog.dataset.alarm];
    const news = alarms.filter(({ dataset }) => !own.includes(dataset.alarm));
    showAlarms(dialog.querySelector(".alarms"), news);
  }
  // The next sheet repeats the alarms that began behind this one, too.
  const old = [...(seen ?? ids), ...dialogs.map(({ dataset }) => dataset.alarm)];
  seen = dialogs.length ? ids.filter((id) => old.includes(id)) : ids;
}

// Changes only the lines that differ, so that a screen reader doesn't read the others again.
function showAlarms(box, alarms) {
  const hadFocus = box.contains(document.activeElement);
  const old = [...box.children];
  const lines = alarms.map(({ dataset: { alarm: id } }) =>
    old.find(({ dataset }) => dataset.of === id) ?? newLine(id));
  for (const line of old) if (!lines.includes(line)) line.remove();
  for (const [index, alarm] of alarms.entries()) {
    const line = lines[index];
    line.className = alarm.closest(".banner")?.className ?? "banner critical";
    setText(line.firstChild, alarm.textContent.replace(/[.:]\s*$/, ""));
    showButton(line);
    if (!line.isConnected) box.append(line);
  }
  // A box that scrolls must be in reach of the keyboard.
  if (box.scrollHeight > box.clientHeight) box.tabIndex = 0;
  else box.removeAttribute("tabindex");
  if (hadFocus && !box.contains(document.activeElement)) focusDialog(box);
}

// Moves the focus from a button that has gone to the button that closes the sheet. A question gets
// it on its title: its first button may do what it asks.
function focusDialog(part) {
  const dialog = part.closest("dialog");
  const close = dialog.querySelector(":scope > header button");
  if (close) close.focus();
  else focusTitle(dialog);
}

function newLine(id) {
  const line = document.createElement("p");
  line.dataset.of = id;
  line.append(Object.assign(document.createElement("span"), { className: "grow" }));
  return line;
}

// The card may have lost its button since the line appeared.
function showButton(line) {
  const original = buttonOf(line.dataset.of);
  const button = line.querySelector("button");
  if (!original) button?.remove();
  else if (button) setText(button, original.textContent);
  else line.append(Object.assign(document.createElement("button"), {
    type: "button", textContent: original.textContent, ariaLabel: original.ariaLabel,
  }));
}

// The button of an alarm's card that opens the alert. It is inert behind the sheet, so the line
// presses it. The line has no button that acts at once, because the card isn't in sight.
const buttonOf = (id) => alarmsOutside()
  .find((it) => it.dataset.alarm === id && !it.closest(".banner"))
  ?.closest(".card")?.querySelector("button[data-shows]");

on("click", ({ target }) => {
  const button = target.closest(".alarms button");
  const original = button && buttonOf(button.parentElement.dataset.of);
  if (original?.textContent === button?.textContent) original?.click();
});

// MARK: The alert button of a sheet

// The alert button is inert behind an open sheet, so the sheet has a copy.
function offerAlert() {
  const button = $(".alert-bar .alert-button");
  for (const place of all(".sheet-alert")) {
    if (button && !place.firstChild) {
      const copy = button.cloneNode(true);
      for (const it of all("[id]", copy)) it.removeAttribute("id");
      place.append(copy);
    }
    if (button || !place.firstChild) continue;
    const hadFocus = place.contains(document.activeElement);
    place.replaceChildren();
    if (hadFocus) focusDialog(place);
  }
}

// Behind the sheet, a screen reader doesn't read the count of the presses.
on("click", ({ target }) => {
  const { textContent } = $("#presses");
  if (textContent && target.closest(".sheet-alert")) announce(textContent);
});

// MARK: A new alert after an unsent end

function offerNewAlert() {
  const isOver = !page.isOnline && mine().some(({ ended }) => ended);
  for (const button of all("[data-after-end]")) button.hidden = !isOver;
}

// MARK: The status while a check-in waits

// Replaces a good status while a check-in waits. Keeps "overdue" and other warnings.
function showUnsent() {
  const isUnsent = mine().some((it) => it.kind === "checkIn" && !isFresh(it));
  for (const pill of all("[data-unsent]")) {
    const place = pill.parentElement;
    const good = ".state:not([data-unsent], .warning, .critical, [hidden])";
    pill.hidden = !isUnsent || !place.querySelector(good);
    place.toggleAttribute("data-waits", !pill.hidden);
  }
}

function showQueue() {
  offerNewAlert();
  showUnsent();
}

addEventListener("queue", showQueue);
setInterval(showQueue, 500);

// MARK: Brief notices

// Only signed-in users get notices with a button that presses itself.
function pressBrief() {
  if (document.hidden || !page.isOnline) return;
  for (const button of all("[data-brief]")) {
    button.seconds = (button.seconds ?? 0) + 1;
    if (button.seconds === +button.dataset.brief) fire(button, "tap");
  }
}

setInterval(pressBrief, 1000);

// MARK: The number on the icon

let badge;

// The sum of the tabs' badges: people who need help, pings, requests, and unread notifications.
function showBadge() {
  const counts = page.root.dataset.user ? all(".badge").map(({ textContent }) => textContent) : [];
  const count = counts.reduce((sum, text) => sum + (parseInt(text, 10) || 0), 0);
  if (count === badge) return;
  badge = count;
  navigator.setAppBadge?.(count).catch(() => {});
}

// MARK: Storage

// Persistent storage keeps the queue when the browser runs out of space. Firefox asks the user for
// permission. So the page requests it only if the user has allowed notifications or installed the
// app.
if (isInstalled || window.Notification?.permission === "granted")
  navigator.storage?.persist?.().catch(() => {});

// MARK: Shortcuts

// A shortcut focuses a button but never presses it, because any link can contain the same fragment.
const buttons = { "#check-in": ".check-in-button", "#call-for-help": ".alert-button" };

function goToButton() {
  const button = $(buttons[location.hash] ?? "#none");
  button?.scrollIntoView({ block: "center" });
  button?.focus();
}

addEventListener("hashchange", goToButton);
goToButton();

// MARK: A shared picture

// Milliseconds. An older picture is from a share that was not completed.
const sharedFor = 600000;
let isTaking = false;

async function useShared() {
  const field = $("dialog input[type=file][name=picture]");
  if (!field || isTaking) return;
  isTaking = true;
  const [shared] = await takeShared().catch(() => []);
  isTaking = false;
  if (shared && Date.now() - shared.at < sharedFor && field.isConnected)
    fire(field, "file", undefined, shared.picture.slice(0, 6000001));
}

// MARK: The launch picture

// iOS reads this picture from the page while it adds the app to the home screen. The picture must
// have the exact size of the screen.
function drawStart() {
  const scale = devicePixelRatio;
  const size = [screen.width, screen.height];
  const canvas = Object.assign(document.createElement("canvas"), {
    width: size[0] * scale, height: size[1] * scale,
  });
  const icon = Object.assign(new Image(), { src: $("link[rel=apple-touch-icon]").href });
  icon.onload = () => {
    const pen = canvas.getContext("2d");
    pen.fillStyle = "#0f6b5c";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    const side = 192 * scale;
    pen.drawImage(icon, (canvas.width - side) / 2, (canvas.height - side) / 2, side, side);
    document.head.append(Object.assign(document.createElement("link"), {
      rel: "apple-touch-startup-image", href: canvas.toDataURL(),
      media: `(device-width: ${size[0]}px) and (device-height: ${size[1]}px)`,
    }));
  };
}

// Only iOS defines `standalone`. It is false unless the app was opened from the home screen.
if (navigator.standalone === false) drawStart();

// Loads the scanner in advance, because a server that is upgraded later lacks this version's files.
import("./scanner.js").catch(() => {});
restore().then(app.reached);
