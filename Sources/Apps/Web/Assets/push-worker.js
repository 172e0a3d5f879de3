// Shows push messages and handles their buttons while no page is open. Every message must be shown,
// because a browser revokes the permission of a worker that shows nothing. The server prepends
// `ACTIONS`, the words of each button.

const file = (name) => `${BASE}/web/assets/${VERSION}/${name}`;
// Milliseconds. A message counts as late only if it expired more than `grace` ago, because the
// clock may be wrong.
const grace = 60000, limit = 8000, pause = 1500;

const isKnown = (action) => Object.hasOwn(ACTIONS, action);

// Resolves to null if the server can't be reached or is too busy. If `body` is a function, each try
// calls it.
const send = async (path, body, tries = 3) => {
  for (let left = tries; left > 0; left -= 1) {
    const answer = await fetch(BASE + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-LifeSignal": "1" },
      body: JSON.stringify(typeof body === "function" ? body() : body),
      signal: AbortSignal.timeout(limit),
    }).catch(() => null);
    if (answer && answer.status < 500 && answer.status !== 429) return answer;
    if (left > 1) await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return null;
};

// MARK: Showing

const read = (data) => {
  try {
    const message = data.json();
    return typeof message.title === "string" && message.title ? message : null;
  } catch {
    return null;
  }
};

const unreadable = {
  title: "LifeSignal has news for you",
  body: "It can’t be shown here. Open LifeSignal to read it.",
};

// Messages about the same subject have the same tag, so that a newer message replaces an older one.
const tagOf = ({ id, alertID, pingID, actions = [] }) => {
  if (alertID) return `alert-${alertID}`;
  if (pingID) return `ping-${pingID}`;
  if (actions.includes("arrived")) return "journey";
  return actions.includes("checkIn") ? "reminder" : id ?? "lifesignal";
};

// Android shows the badge in the status bar, as a silhouette.
const looks = { icon: file("icon-192.png"), badge: file("badge-96.png") };

// `changes` apply to the display only. A later tap acts on the original message.
const show = (message, changes = {}) => {
  const { title, body, actions = [], type, createdAt } = { ...message, ...changes };
  const isAlarm = type === "alert";
  return registration.showNotification(title, {
    body,
    ...looks,
    // Alarms have three long pulses, which can be felt in a pocket.
    vibrate: isAlarm ? [500, 200, 500, 200, 500] : [200],
    tag: changes.tag ?? tagOf(message),
    renotify: changes.renotify ?? isAlarm,
    requireInteraction: isAlarm,
    timestamp: Date.parse(createdAt) || Date.now(),
    actions: actions.filter(isKnown).map((action) => ({ action, title: ACTIONS[action].button })),
    data: message,
  });
};

// Resolves to the shown notification about the same subject if it is newer than the message.
const newerThan = async (message) => {
  const [shown] = await registration.getNotifications({ tag: tagOf(message) });
  return shown?.data?.createdAt > message.createdAt ? shown : null;
};

// The same as in time.js, which a classic script can't import.
const locale = `${navigator.language.match(/^en(-\w\w+)?/)?.[0] ?? "en-GB"}-u-ca-gregory`;

const present = async (message) => {
  const shown = await newerThan(message);
  if (shown) {
    const { title, body, actions = [] } = shown;
    const known = actions.map(({ action }) => action);
    return show(shown.data, { title, body, actions: known, renotify: false });
  }
  if (Date.now() <= Date.parse(message.usefulUntil) + grace) return show(message);
  const sent = new Date(message.createdAt).toLocaleString(locale);
  return show(message, {
    title: `Earlier: ${message.title}`,
    body: `Sent ${sent}, but arrived late. Open LifeSignal to see how things are now.`,
    actions: [],
  });
};

const receive = async (data) => {
  const message = read(data);
  const receipt = message?.receipt && send("/v1/receipts", { token: message.receipt });
  await (message ? present(message) : show(unreadable));
  await showBadge();
  await Promise.all([receipt, sendQueue()]);
};

// Shows on the app's icon how many alarms are still displayed. An opened page replaces the number.
const showBadge = async () => {
  const shown = await registration.getNotifications();
  const count = shown.filter(({ requireInteraction }) => requireInteraction).length;
  if (count) await navigator.setAppBadge?.(count).catch(() => {});
};

// MARK: Pressing

// The paths of the links in messages to guests and in e-mails. Their pages don't take messages.
const linkPath = /^\/([adis]\/?$|v1\/)/;
// Other apps of this host have pages, too.
const isOfApp = (path) =>
  path.startsWith(`${BASE}/`) && !linkPath.test(path.slice(BASE.length));

const openPages = async () =>
  (await clients.matchAll({ type: "window", includeUncontrolled: true }))
    .filter(({ url }) => isOfApp(new URL(url).pathname));

const openPage = async (path) => {
  const pages = await openPages();
  const isShown = ({ visibilityState }) => visibilityState === "visible";
  const page = pages.find(({ focused }) => focused) ?? pages.find(isShown) ?? pages[0];
  if (!page) return clients.openWindow(BASE + path);
  page.postMessage({ open: path });
  return page.focus();
};

const pathOf = ({ path, alertID, actions = [] }) => {
  if (path) return path;
  if (alertID) return `/alerts/${alertID}`;
  // Home has buttons for these actions.
  return actions.some(isKnown) ? "/" : "/notifications";
};

const open = async (notification) => {
  const message = notification.data ?? unreadable;
  const { id, recipientID } = message;
  notification.close();
  const reading = id && send(
    "/web/push/actions", { user: recipientID, action: "read", notification: id }, 1);
  await openPage(pathOf(message)).catch(() => {});
  await reading;
};

// Shows success only after the server has confirmed it. Newer news that came after the press stays:
// the result then gets a notification of its own.
const act = async ({ data: message, tag }, action) => {
  const { button, done, then } = ACTIONS[action];
  const { id, recipientID, alertID, pingID, title } = message;
  const pressed = new Date().toISOString();
  const checkInID = crypto.randomUUID();
  // Each try reads `now`. The server uses only the difference between `now` and `at`, because this
  // clock may be wrong.
  const answer = await send("/web/push/actions", () => ({
    user: recipientID, action, notification: id, alert: alertID, ping: pingID,
    checkIn: checkInID, sent: message.createdAt, at: pressed, now: new Date().toISOString(),
  }));
  const showResult = async (changes) => show(message, {
    ...changes, tag: await newerThan(message) ? `result-${tagOf(message)}` : tag,
  });
  if (answer?.status === 401 || answer?.status === 403) {
    const isOther = answer.status === 403;
    await showResult({
      title: `NOT SENT: ${button}`,
      body: isOther
        ? "This was for someone who is not signed in here."
        : `${title}. Sign in to LifeSignal, then press the button again.`,
      actions: isOther ? [] : message.actions,
    });
    return openPage("/").catch(() => {});
  }
  // Only an answer of this route is a result: a proxy or a captive portal may have answered.
  const reply = answer?.ok ? await answer.json().catch(() => null) : null;
  if (typeof reply?.isDone !== "boolean") return showResult({
    title: `NOT SENT: ${button}`,
    body: `${title}. LifeSignal can’t be reached. Press the button again, or open LifeSignal.`,
    renotify: true,
  });
  if (reply.isDone) return showResult({
    title: done, body: `${title}. ${reply.then ?? then}`.trim(), actions: [], renotify: false,
  });
  return showResult({
    title: "Nothing was changed",
    body: `${reply.reason ?? "LifeSignal refused it."} Tap to see how things are.`,
    actions: [],
  });
};

// MARK: The subscription

// Called when the browser has changed or revoked the subscription's address.
const subscribe = async () => {
  const answer = await send("/web/push", {});
  if (!answer?.ok) return;
  const { key } = await answer.json();
  await (await registration.pushManager.getSubscription())?.unsubscribe();
  const subscription = await registration.pushManager.subscribe(
    { userVisibleOnly: true, applicationServerKey: key });
  await send("/web/push", { subscription, key });
};

// MARK: The queue

// Sends the queue that the pages have stored. Each user's items are sent separately, because the
// server accepts items only from the signed-in user. Each item has its id already, so sending is
// idempotent. Resolves to true if items remain for a retry.
const sendQueue = async () => {
  const items = await keptItems().catch(() => []);
  const users = [...new Set(items.map(({ user }) => user))];
  const owed = await Promise.all(users.map((user) =>
    sendItemsOf(user, items.filter((item) => item.user === user))));
  return owed.some(Boolean);
};

const sendItemsOf = async (user, items) => {
  const answer = await send("/web/queue", { user, items, version: 2 }, 1);
  if (answer?.status === 401) await tell(false, items);
  // Another user is signed in, and must not learn about these items.
  if (answer?.status === 401 || answer?.status === 403) return false;
  const report = answer?.ok ? await answer.json().catch(() => null) : null;
  if (!Array.isArray(report?.delivered)) return true;
  const ids = [...report.delivered, ...report.refused.map(({ id }) => id)];
  const settled = items.filter(({ id }) => ids.includes(id));
  await dropItems(settled);
  await tell(true, settled.filter(({ id }) => report.delivered.includes(id)));
  return settled.length < items.length;
};

const subjects = {
  alert: "Your alert", end: "The end of your alert", checkIn: "Your check-in",
  journey: "What you said of your journey",
};

// Shows a notification about the result, unless a visible page announces it.
const tell = async (isSent, items) => {
  const pages = await openPages();
  for (const page of pages) page.postMessage({ isQueueSent: true });
  if (pages.some(({ visibilityState }) => visibilityState === "visible")) return;
  for (const { kind, ended } of items) {
    const subject = kind === "alert" && ended ? "end" : kind;
    const title = `${subjects[subject]} was ${isSent ? "sent" : "NOT SENT"}`;
    const way = subject === "alert" ? ", or phone someone now" : "";
    const body = isSent
      ? "LifeSignal has received it. Tap to see how things are."
      : `Sign in to LifeSignal to send it${way}.`;
    const data = { title, path: "/" };
    await registration.showNotification(title, { ...looks, body, data, tag: `queue-${subject}` })
      .catch(() => {});
  }
};

// A rejected promise makes the browser retry later.
self.addEventListener("sync", (event) => event.tag === "queue" && event.waitUntil(
  sendQueue().then((isOwed) => isOwed && Promise.reject(new Error("The queue waits.")))));

// MARK: A shared picture

const toScanner = () => Response.redirect(`${BASE}/scan`, 303);

// Keeps a picture of a code that another app shares, until the scanner reads it.
const share = async (request) => {
  const picture = (await request.formData()).get("picture");
  if (picture instanceof Blob)
    await keepShared({ id: "picture", picture, at: Date.now() });
  return toScanner();
};

self.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method === "POST" && new URL(url).pathname === `${BASE}/web/share`)
    event.respondWith(share(event.request).catch(toScanner));
});

// MARK: Events

self.addEventListener("push", (event) => event.waitUntil(receive(event.data)));
self.addEventListener("notificationclick", (event) => {
  const { action, notification } = event;
  const isPress = isKnown(action) && notification.data;
  event.waitUntil(isPress ? act(notification, action) : open(notification));
});
self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(subscribe()));
