import { goTo } from "./events.js";
import { page, post } from "./page.js";

// The page's part in push messages: the permission, the subscription, and reports to the server,
// which decides what to show. `localStorage.push` is the user who wants messages in this browser.
// `pushAddress` is the address that the server has. `pushLater` is the user who dismissed the
// question.

const { serviceWorker } = navigator;
const isSupported = Boolean(serviceWorker && window.PushManager && window.Notification);
// Milliseconds. Without a network, subscribing may never finish.
const patience = 20000;

const within = (promise) => Promise.race([
  promise.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, patience)),
]);

function permission() {
  // Only iOS defines `standalone`. It is false unless the app was opened from the home screen.
  if (!isSupported) return navigator.standalone === false ? "needsInstallation" : "unsupported";
  return Notification.permission === "default" ? "undecided" : Notification.permission;
}

const encode = (key) => key && btoa(String.fromCharCode(...new Uint8Array(key)))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

// True if the last report has not reached the server.
let isOwed = false;

async function report(user, wants, subscription, hasFailed = false) {
  const { push, pushAddress, pushLater } = localStorage;
  const address = subscription?.endpoint;
  const answer = await post("/web/push", {
    user, wants, hasFailed, subscription, permission: permission(), isPutOff: pushLater === user,
    key: encode(subscription?.options.applicationServerKey),
    isKnown: Boolean(pushAddress) && (!address || address === pushAddress),
  });
  isOwed = !answer;
  const reply = answer?.ok ? await answer.json() : null;
  if (reply?.isOn && push === user) localStorage.pushAddress = address;
  else if (reply) localStorage.removeItem("pushAddress");
  return reply;
}

async function forget(registration, subscription) {
  await subscription?.unsubscribe().catch(() => {});
  // Notifications that are still shown belong to the previous user.
  for (const notification of await registration.getNotifications()) notification.close();
}

async function synchronise() {
  const { user } = page.root.dataset;
  const isGranted = permission() === "granted";
  const registration = isGranted ? await within(serviceWorker.ready) : undefined;
  let subscription = await registration?.pushManager.getSubscription();
  const isWanted = Boolean(user) && localStorage.push === user;
  if (subscription && !isWanted) {
    await forget(registration, subscription);
    subscription = null;
  }
  if (!user) {
    // Removed last: if the page closes earlier, the next page still ends the subscription.
    ["push", "pushAddress"].forEach((name) => localStorage.removeItem(name));
    return;
  }
  const wants = isWanted && isGranted;
  const reply = await report(user, wants, subscription);
  if (!wants || !reply?.key || reply.isOn) return;
  // The subscription is lost, has expired, or uses an old key of the server.
  await subscription?.unsubscribe().catch(() => {});
  const options = { userVisibleOnly: true, applicationServerKey: reply.key };
  const fresh = registration && await within(registration.pushManager.subscribe(options));
  await report(user, wants, fresh, !fresh);
}

let last = Promise.resolve();

// Only one synchronisation runs at a time. Two would undo each other's subscription.
export const sync = () => (last = last.then(synchronise).catch(() => {}));

export const resume = () => isOwed && sync();

const presses = {
  async on(user) {
    localStorage.removeItem("pushLater");
    // The browser shows its question only if the request is made within the tap itself.
    const answer = isSupported && await Notification.requestPermission();
    // After a refusal, the user may still allow messages in the browser's settings.
    if (answer && answer !== "default") localStorage.push = user;
  },
  off(user) {
    localStorage.removeItem("push");
    localStorage.pushLater = user;
  },
  later: (user) => (localStorage.pushLater = user),
};

export async function press(name) {
  await presses[name](page.root.dataset.user);
  sync();
}

serviceWorker?.addEventListener("message", ({ data }) => data.open && goTo(data.open));
navigator.permissions?.query({ name: "notifications" })
  .then((status) => status.addEventListener("change", sync)).catch(() => {});
