// Finds faults in the layout of a page at its present size, a line for each. Run by looks.py.

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

// Nothing has to be scrolled sideways.
for (const box of [document.documentElement, root]) {
  const excess = box.scrollWidth - box.clientWidth;
  if (excess > 0) findings.push(`scrolls sideways by ${excess}: ${describe(box).slice(0, 60)}`);
}

// Words stay in their box, and boxes in theirs.
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

// Whatever is pressed is as large as a finger, and lies on nothing else that is pressed.
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

// A place that is to be heard is there before it has something to say.
for (const region of document.querySelectorAll("[role=status], [role=alert]"))
  if (!region.checkVisibility() && !region.closest("details:not([open])"))
  findings.push(`not heard: ${describe(region)}`);

// The page has one heading, its landmarks, and a name.
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
