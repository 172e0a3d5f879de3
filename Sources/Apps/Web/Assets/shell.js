import { present, stored } from "./offline.js";
import { $, all, app, now, page, setText } from "./page.js";
import { absolute } from "./time.js";

// The user's own open alerts and journey on the offline page. Only that page loads this script.
// device.js has stored them on the last online page.

const isOwner = present() && present() === localStorage.peopleOf;
const own = isOwner ? JSON.parse(localStorage.own ?? "{}") : {};
const timeOf = (text) => absolute(new Date(text));

const ending = $("#own-alert button");
const endingWords = ending.textContent;

own.asOf ??= +localStorage.peopleAsOf;
// The banner gives the age of what the page shows.
const isShown = () => [own.ownAlert, own.ownMissed, own.ownLate, own.ownJourney].some(Boolean);
if (isShown()) page.asOf ??= own.asOf;

function wordsOf(since, asOf, helper) {
  const times = [since && `Since ${timeOf(since)}`, asOf && `as of ${timeOf(asOf)}`];
  return `${[times.filter(Boolean).join(", "), helper].filter(Boolean).join(". ")}.`;
}

// Shows an alert that the server has raised.
function showAlarm(name, title, since, helper) {
  $(`#own-${name}`).hidden = !title;
  if (!title) return;
  setText($(`#own-${name} h2`), title);
  setText($(`#own-${name} p`), wordsOf(since, own.asOf, helper));
}

function show() {
  const { ownAlert, ownSince, ownHelper, ownJourney, ownName, ownBack } = own;
  $("#own-alert").hidden = !ownAlert;
  $("#own-journey").hidden = !ownJourney;
  $("#own").hidden = !isShown();
  showAlarm("missed", own.ownMissed, own.ownMissedSince, own.ownMissedHelper);
  showAlarm("late", own.ownLate, own.ownLateSince, own.ownLateHelper);
  if (ownAlert) {
    setText($("#own-alert p"), wordsOf(ownSince, own.alertAsOf ?? own.asOf, ownHelper));
    // The button may have asked about the end of an earlier alert.
    if (ending.dataset.asksToEnd !== ownAlert) ending.textContent = endingWords;
    ending.dataset.asksToEnd = ownAlert;
  }
  if (!ownJourney) return;
  setText($("#own-journey h2"), ownName);
  setText($("#own-journey p span"), timeOf(ownBack));
  for (const button of all("#own-journey button")) button.dataset.journey = ownJourney;
  $("#own-journey button + button").dataset.back = ownBack;
}

// MARK: Signed out

const keptWords = $("#kept").textContent;
const { takesPress } = app;

// Milliseconds. How long device.js keeps the card.
const longestWait = 7 * 24 * 3600 * 1000;

// Shows the card about the user's alerts when another device ended the session, with the calls.
function showLastAlert() {
  const { at, html } = JSON.parse(localStorage.left ?? "{}");
  const card = $("#open-at-sign-out");
  if (!html || present() || now() - at > longestWait) card?.remove();
  else if (!card) $("#kept").insertAdjacentHTML("afterend", html);
}

function showUser() {
  setText($("#kept"), present() ? keptWords : "You are offline, and no one is signed in here:"
    + " nothing you press is sent. Phone someone if you need help.");
  if (present()) $("#not-sent").textContent = "";
  showLastAlert();
}

// Shows the answer to a press below the buttons. It stays, because an announcement disappears.
app.takesPress = (button) => {
  if (present()) return takesPress(button);
  const answer = document.createElement("p");
  answer.className = "banner critical";
  answer.textContent = "NOT SENT: no one is signed in here. If you need help, phone someone now.";
  // Screen readers read out only a change, so a further press clears the answer first.
  $("#not-sent").textContent = "";
  setTimeout(() => {
    $("#not-sent").replaceChildren(answer);
    answer.scrollIntoView({ block: "nearest" });
  }, 50);
  return true;
};

addEventListener("storage", showUser);
showUser();

// MARK: Alerts that this page has sent

let items = stored();

// Follows the alerts that the server has taken, because a reload may show this page again. This
// page sends no other items.
addEventListener("queue", () => {
  const left = stored();
  const gone = items.filter(({ id }) => left.every((it) => it.id !== id));
  items = left;
  // alert.js shows after this event whether the server has the alert.
  setTimeout(() => {
    gone.forEach(learn);
    show();
  });
});

function learn({ kind, id, at, ended }) {
  const isOn = kind === "alert" && !ended && $("#calling[data-state=on]");
  if (isOn) Object.assign(own, { ownAlert: id, ownSince: at, ownHelper: "", alertAsOf: now() });
  else if (ended && id === own.ownAlert) delete own.ownAlert;
  else return;
  try {
    localStorage.own = JSON.stringify(own);
  } catch {
    // A full storage is ignored, because this page still shows the alert.
  }
}

show();
