import { fire } from "./events.js";

// Holding, with the pointer or with a key. The server hears of each quarter, and of the end.

let hold;

function beginHold(element) {
  if (hold || !element) return;
  hold = { element, start: performance.now(), told: 0 };
  requestAnimationFrame(continueHold);
}

function continueHold(now) {
  if (!hold) return;
  const progress = Math.min(1, Math.max(0, (now - hold.start) / (1000 * Number(hold.element.dataset.holdSeconds))));
  hold.element.style.setProperty("--hold", progress);
  const quarter = Math.floor(progress * 4) / 4;
  if (quarter > hold.told) fire(hold.element, "hold", (hold.told = quarter));
  if (progress < 1 && hold.element.isConnected) requestAnimationFrame(continueHold);
  else endHold();
}

function endHold() {
  if (!hold) return;
  hold.element.style.setProperty("--hold", 0);
  if (hold.told < 1) fire(hold.element, "hold", 0);
  hold = undefined;
}

const holdTarget = (event) => event.target.closest?.("[data-hold]:not([disabled])");
const isHoldKey = ({ key }) => key === " " || key === "Enter";
document.addEventListener("pointerdown", (event) => event.button === 0 && beginHold(holdTarget(event)));
for (const name of ["pointerup", "pointercancel", "blur"]) addEventListener(name, endHold);
document.addEventListener("contextmenu", (event) => holdTarget(event) && event.preventDefault());
document.addEventListener("keydown", (event) => {
  if (!isHoldKey(event) || !holdTarget(event)) return;
  event.preventDefault();
  beginHold(holdTarget(event));
});
document.addEventListener("keyup", (event) => isHoldKey(event) && endHold());
