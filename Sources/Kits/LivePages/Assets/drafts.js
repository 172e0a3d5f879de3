import { fire } from "./events.js";
import { $, all, announce, on, page } from "./page.js";

// Keeps text typed into a sheet, or into the steps of a form, whose state the server has lost, for
// example in a restart. Fills in the text when the same user opens the same sheet or step again.

// How long a draft is kept, in milliseconds.
const keptFor = 600000;
let drafts = [];

const inSheets = "dialog[data-modal] [data-draft]", inSteps = "[data-steps] [data-draft]";
// The step of the form that is shown.
const depth = () => Number($("[data-steps] [data-depth]")?.dataset.depth ?? 0);
const place = () => `${page.root.dataset.user} ${location.pathname}`;

// The texts of the steps, by the id of their field. The page contains only the present step.
const steps = new Map();

on("input", ({ target }) => {
  const { id, value } = target;
  if (target.matches(inSteps)) steps.set(id, { id, value, place: place() });
});

// Collects drafts before a whole new page is shown. Returns a function to call afterwards.
export function keepDrafts() {
  const until = Date.now() + keptFor;
  if (!$("[data-steps]")) steps.clear();
  const typed = all(inSheets).filter(({ sent }) => sent);
  const found = typed.map((field) =>
    ({ field, id: field.id, value: field.value, place: place(), until }))
    .concat([...steps.values()].map((step) => ({ ...step, until })));
  const before = depth();
  return () => {
    // A field that is still on the page keeps its text by itself. The server has the texts of other
    // steps if the form hasn't gone back.
    const isLost = ({ field, id, value }) => {
      if (field) return !field.isConnected;
      const shown = document.getElementById(id);
      return shown ? shown.value !== value : depth() < before;
    };
    const lost = found.filter(isLost);
    const isOlder = ({ id }) => lost.some((draft) => draft.id === id);
    drafts = [...drafts.filter((draft) => !isOlder(draft)), ...lost];
    if (lost[0]) announce("Your text was not saved. Open the form again to get it back.");
  };
}

export function fillDrafts() {
  drafts = drafts.filter(({ until }) => until > Date.now());
  for (const field of all(`${inSheets}, ${inSteps}`)) {
    const draft = drafts.find(({ id, place: its }) => id === field.id && its === place());
    if (!draft) continue;
    drafts = drafts.filter((other) => other !== draft);
    field.value = draft.value;
    fire(field, "input", draft.value);
    announce("Your text is back.");
  }
}
