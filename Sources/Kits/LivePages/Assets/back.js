import { fire, goTo } from "./events.js";
import { $, all, here, page } from "./page.js";

// The browser's Back button closes a sheet, or goes one onboarding step back, before it leaves the
// page. Each open sheet and each step is a layer. Each layer has a history entry, whose state
// contains the number of layers.

const start = page.root.dataset.path;
if (start && start !== here()) history.replaceState(null, "", page.base + start);
let entry = history.state?.layers ?? 0;
let path = here();

const sheets = () => all("dialog[data-modal][open]");
const layers = () => sheets().length + Number($("[data-depth]")?.dataset.depth ?? 0);

// Adds history entries for new layers. Called after each change of the page. The entries of closed
// layers stay in the history, and `isAboutLayer` skips them.
export function keepLayers() {
  while (entry < layers()) history.pushState({ layers: ++entry }, "");
}

// Records a new page in the history. Replaces the current entry if that entry belongs to a layer.
export function enter(next) {
  if (next === here()) return;
  history[entry ? "replaceState" : "pushState"](null, "", page.base + next);
  [entry, path] = [0, next];
  scrollTo(0, 0);
}

// Returns true if Back or Forward moved between layers of this page.
function isAboutLayer() {
  const before = entry;
  entry = history.state?.layers ?? 0;
  const isSamePage = here() === path;
  path = here();
  if (!isSamePage || before === entry) return false;
  if (entry > before) return true;
  const count = layers();
  if (count > entry) closeOne();
  else history.go(count - 1 - entry);
  return true;
}

function closeOne() {
  const sheet = sheets().at(-1);
  if (sheet) fire(sheet, "dismiss");
  else fire($("[data-back]"), "tap");
  // An offline page drops the tap, so the layer stays.
  if (!page.isOnline) keepLayers();
}

addEventListener("popstate", () => {
  // A link within the page, such as "Skip to content", has created a history entry without state.
  if (location.hash && !history.state) history.replaceState({ layers: entry }, "");
  else if (!isAboutLayer()) goTo(here());
});
