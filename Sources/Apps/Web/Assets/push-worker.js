// Shows the messages of push services, and does what their buttons say with no page open. A browser
// takes the permission away from a worker that shows nothing for a message.

const icon = `/web/assets/${VERSION}/icon-192.png`;
// Milliseconds: what is of no more use is shown as late. A wrong clock must not hide an alert.
const grace = 60000, limit = 8000, pause = 1500;

const words = {
  acknowledgeAlert: {
    button: "I’m on it", done: "You are on it", then: "Tap to open the alert and call.",
  },
  declineAlert: {
    button: "I can’t", done: "You have said that you can’t",
    then: "Tap to open the alert. You can still take it on.",
  },
  respondToPing: { button: "I’m fine", done: "Your answer is sent", then: "" },
  confirmDrill: { button: "Got it", done: "Your answer is sent", then: "" },
  checkIn: {
    button: "I’m fine", done: "You are checked in", then: "Your deadline has started again.",
  },
};
const isKnown = (action) => Object.hasOwn(words, action);

// Null when the server can't be reached or is too busy.
const send = async (path, body, tries = 3) => {
  for (let left = tries; left > 0; left -= 1) {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-LifeSignal": "1" },
      body: JSON.stringify(body),
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

// Newer news takes the place of older.
const tagOf = ({ id, alertID, pingID, actions = [] }) => {
  if (alertID) return `alert-${alertID}`;
  if (pingID) return `ping-${pingID}`;
  return actions.includes("checkIn") ? "reminder" : id ?? "lifesignal";
};

// `changes` are of what is shown; a tap later acts on the message.
const show = (message, changes = {}) => {
  const { title, body, actions = [], type, createdAt } = { ...message, ...changes };
  const isAlarm = type === "alert";
  return registration.showNotification(title, {
    body,
    icon,
    tag: tagOf(message),
    renotify: changes.renotify ?? isAlarm,
    requireInteraction: isAlarm,
    timestamp: Date.parse(createdAt) || Date.now(),
    actions: actions.filter(isKnown).map((action) => ({ action, title: words[action].button })),
    data: message,
  });
};

const present = async (message) => {
  const [shown] = await registration.getNotifications({ tag: tagOf(message) });
  if (shown?.data?.createdAt > message.createdAt) {
    const { title, body, actions = [] } = shown;
    const known = actions.map(({ action }) => action);
    return show(shown.data, { title, body, actions: known, renotify: false });
  }
  if (Date.now() <= Date.parse(message.usefulUntil) + grace) return show(message);
  const sent = new Date(message.createdAt).toLocaleString();
  return show(message, {
    title: `Earlier: ${message.title}`,
    body: `Sent ${sent}, and late here. Open LifeSignal to see how things are now.`,
    actions: [],
  });
};

const receive = async (data) => {
  const message = read(data);
  const receipt = message?.receipt && send("/v1/receipts", { token: message.receipt });
  await (message ? present(message) : show(unreadable));
  await receipt;
};

// MARK: Pressing

const openPage = async (path) => {
  const pages = await clients.matchAll({ type: "window", includeUncontrolled: true });
  const isShown = ({ visibilityState }) => visibilityState === "visible";
  const page = pages.find(({ focused }) => focused) ?? pages.find(isShown) ?? pages[0];
  if (!page) return clients.openWindow(path);
  page.postMessage({ open: path });
  return page.focus();
};

const pathOf = ({ alertID, actions = [] }) => {
  if (alertID) return `/alerts/${alertID}`;
  // Home has the buttons for these.
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

// Nothing is claimed that the server has not confirmed.
const act = async (message, action) => {
  const { button, done, then } = words[action];
  const { id, recipientID, alertID, pingID, title } = message;
  const answer = await send("/web/push/actions", {
    user: recipientID, action, notification: id, alert: alertID, ping: pingID,
    checkIn: crypto.randomUUID(), at: new Date().toISOString(),
  });
  if (!answer) return show(message, {
    title: `NOT SENT: ${button}`,
    body: `${title}. LifeSignal can’t be reached. Press the button again, or open LifeSignal.`,
    renotify: true,
  });
  if (answer.status === 401 || answer.status === 403) {
    const isOther = answer.status === 403;
    await show(message, {
      title: `NOT SENT: ${button}`,
      body: isOther
        ? "This was for someone who is not signed in here."
        : `${title}. Sign in to LifeSignal, then press the button again.`,
      actions: isOther ? [] : message.actions,
    });
    return openPage("/").catch(() => {});
  }
  const reply = answer.ok ? await answer.json().catch(() => ({})) : {};
  if (reply.isDone) return show(message, {
    title: done, body: `${title}. ${then}`.trim(), actions: [], renotify: false,
  });
  return show(message, {
    title: "Nothing was changed",
    body: `${reply.reason ?? "LifeSignal did not take it."} Tap to see how things are.`,
    actions: [],
  });
};

// MARK: The subscription

// The browser has given this worker another address, or took the old one away.
const subscribe = async () => {
  const answer = await send("/web/push", {});
  if (!answer?.ok) return;
  const { key } = await answer.json();
  await (await registration.pushManager.getSubscription())?.unsubscribe();
  const subscription = await registration.pushManager.subscribe(
    { userVisibleOnly: true, applicationServerKey: key });
  await send("/web/push", { subscription, key });
};

self.addEventListener("push", (event) => event.waitUntil(receive(event.data)));
self.addEventListener("notificationclick", (event) => {
  const { action, notification } = event;
  const isPress = isKnown(action) && notification.data;
  event.waitUntil(isPress ? act(notification.data, action) : open(notification));
});
self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(subscribe()));
