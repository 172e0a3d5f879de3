// Finds layout faults of a page at its current size, one line per fault. Run by looks.py.

const layer = document.querySelectorAll("dialog[open]");
const root = layer.length ? layer[layer.length - 1] : document.body;
const findings = [];
const describe = (element) => {
  const words = (element.textContent || element.name || "").trim().slice(0, 40);
  return `<${element.nodeName.toLowerCase()} class="${element.className}"> ${words}`;
};
const isShown = (element) => element.checkVisibility({ visibilityProperty: true,
  opacityProperty: true }) && !element.closest(".unseen, .skip");
const all = (selector) => [...root.querySelectorAll(selector)].filter(isShown);

// The page must not scroll sideways.
for (const box of [document.documentElement, root]) {
  const excess = box.scrollWidth - box.clientWidth;
  if (excess > 0) findings.push(`scrolls sideways by ${excess}: ${describe(box).slice(0, 60)}`);
}

// Text must stay within its box, and each box within its parent.
const boxes = "button, a, label, summary, .card, .badge, .state, .banner, .fact, li, dd, dialog, "
  + ".segments, nav, main, body";
const words = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, (node) =>
  (node.data.trim() ? 1 : 3));
while (words.nextNode()) {
  const parent = words.currentNode.parentElement;
  if (!isShown(parent) || parent.closest("textarea, select, option, video, noscript, [hidden]"))
    continue;
  const range = document.createRange();
  range.selectNodeContents(words.currentNode);
  const text = range.getBoundingClientRect();
  for (let box = parent.closest(boxes); box && root.contains(box);
    box = box.parentElement?.closest(boxes)) {
    const edge = box.getBoundingClientRect();
    const isOut = text.left < edge.left - 1 || text.right > edge.right + 1;
    const isCut = box.matches("button, a, .badge, .state") &&
      (text.top < edge.top - 3 || text.bottom > edge.bottom + 3);
    if (isOut || isCut) {
      findings.push(`out of its box ${box.className || box.nodeName}: ${describe(parent)}`);
      break;
    }
  }
}

// A tab must stay within the bar of tabs.
for (const tab of all(".tabs a")) {
  const { left, right } = tab.closest(".tabs").getBoundingClientRect();
  const edge = tab.getBoundingClientRect();
  if (edge.left < left - 1 || edge.right > right + 1)
    findings.push(`out of the tabs: ${describe(tab)}`);
}

// Only a word that is too long for a line may be broken, such as an id or an address. A random
// address (`.code`) may contain such words.
const reads = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
while (reads.nextNode()) {
  const { currentNode: text } = reads;
  if (!isShown(text.parentElement) || text.parentElement.closest("textarea, select, option, .code"))
    continue;
  for (const { 0: word, index } of text.data.matchAll(/(?<![\p{L}\p{N}])\p{L}+(?![\p{N}@.]\S)/gu)) {
    const range = document.createRange();
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    // WebKit adds an empty rectangle at the end of the previous line.
    const pieces = [...range.getClientRects()].filter(({ width }) => width >= 1);
    const isBroken = new Set(pieces.map(({ bottom }) => Math.round(bottom))).size > 1;
    const length = pieces.reduce((sum, { width }) => sum + width, 0);
    if (isBroken && length < innerWidth * 2 / 3)
      findings.push(`“${word}” is broken: ${describe(text.parentElement)}`);
  }
}

// Bars that don't scroll with the page must take no more than a third of the height.
const stays = (element) => /fixed|sticky/.test(getComputedStyle(element).position) &&
  isShown(element) && !element.closest("dialog") && element.offsetWidth > innerWidth / 2;
const taken = [...document.body.querySelectorAll("*")].filter(stays)
  .reduce((sum, { offsetHeight }) => sum + offsetHeight, 0);
if (taken > innerHeight / 3)
  findings.push(`${Math.round(100 * taken / innerHeight)} % of the height stays`);

// Live regions must not contain times that change, because screen readers would repeat them.
for (const time of document.querySelectorAll("[role=status] time, [role=alert] time"))
  if (!["absolute", "second"].some((kind) => kind in time.dataset))
    findings.push(`read aloud again and again: ${describe(time.parentElement)}`);

// Controls must be at least as large as a fingertip, and must not overlap each other.
const pressed = all("button, a[href], summary, select, textarea, input, label.choice, label.button")
  .filter((element) => !(element.matches("input") &&
    element.closest("label.choice, label.button")));
const areas = pressed.map((element) => [element, element.getBoundingClientRect()]);
for (const [element, area] of areas) {
  if (area.width < 43.5 || area.height < 43.5) {
    const size = `${Math.round(area.width)} × ${Math.round(area.height)}`;
    findings.push(`only ${size}: ${describe(element)}`);
  }
}
const floats = (element) => element.closest(".tabs, .connection-banner, .alert-bar");
areas.forEach(([element, a], index) => {
  for (const [other, b] of areas.slice(index + 1)) {
    if (floats(element) || floats(other) || element.contains(other)) continue;
    const width = Math.min(a.right, b.right) - Math.max(a.left, b.left),
      height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (width > 1 && height > 1) findings.push(`${describe(element)} lies on ${describe(other)}`);
  }
});

// A live region must exist before its text is set.
for (const region of document.querySelectorAll("[role=status], [role=alert]"))
  if (!region.checkVisibility() && !region.closest("details:not([open])"))
  findings.push(`not heard: ${describe(region)}`);

// The page must have one heading, its landmarks, and a language.
const count = (selector) => [...document.querySelectorAll(selector)].filter((it) =>
  !it.closest("dialog")).length;
for (const [what, number] of [["h1", 1], ["main", 1], ["html[lang]", 1]])
  if (count(what) !== number) findings.push(`${count(what)} of ${what}`);
for (const nav of document.querySelectorAll("nav")) if (!nav.ariaLabel)
  findings.push("a nav without a name");
if (count(".tabs") && count("[aria-current=page]") !== 1)
  findings.push(`${count("[aria-current=page]")} current pages`);
if (!document.title.includes("LifeSignal")) findings.push(`the title is ${document.title}`);
const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
for (const id of new Set(ids.filter((id, index) => ids.indexOf(id) !== index)))
  findings.push(`two of #${id}`);
return findings;
