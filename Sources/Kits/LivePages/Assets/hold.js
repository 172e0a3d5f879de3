import { fire } from "./events.js";
import { on } from "./page.js";

// Holding, with the pointer or with a key. The server hears of each quarter, and of the end.

let element, start, told;

function begin(event) {
  const target = event.target.closest("[data-hold]:not([disabled])");
  if (target) event.preventDefault();
  if (element || !target) return;
  element = target;
  start = told = 0;
  requestAnimationFrame(grow);
}

// A hold with no handler on the server is reported by the page's own `held` event.
function tell(share) {
  if (element.dataset.hold) fire(element, "hold", share);
  else if (share === 1) element.dispatchEvent(new Event("held"));
}

function grow(now) {
  if (!element) return;
  start ||= now;
  const share = Math.min(1, (now - start) / 1000 / element.dataset.holdSeconds);
  element.style.setProperty("--hold", share);
  const quarter = Math.floor(share * 4) / 4;
  if (quarter > told) tell((told = quarter));
  if (share < 1 && element.isConnected) requestAnimationFrame(grow);
  else end();
}

function end() {
  if (!element) return;
  element.style.setProperty("--hold", 0);
  if (told < 1) tell(0);
  element = undefined;
}

const isKey = ({ key }) => key === " " || key === "Enter";
on("pointerdown", (event) => event.button === 0 && begin(event));
on("keydown", (event) => isKey(event) && begin(event));
on("keyup", (event) => isKey(event) && end());
on("pointerup", end);
on("pointercancel", end);
addEventListener("blur", end);
