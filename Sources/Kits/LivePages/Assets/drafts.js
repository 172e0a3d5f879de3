import { fire } from "./events.js";
import { all, announce, page } from "./page.js";

// Keeps text typed into a sheet whose state the server has lost, for example in a restart. Fills in
// the text when the same user opens the same sheet again.

// How long a draft is kept, in milliseconds.
const keptFor = 600000;
let drafts = [];

const fields = () => all("dialog[data-modal] [data-draft]");
const place = () => `${page.root.dataset.user} ${location.pathname}`;

// Collects drafts before a whole new page is shown. Returns a function to call afterwards.
export function keepDrafts() {
  const until = Date.now() + keptFor;
  const typed = fields().filter(({ sent }) => sent);
  const found = typed.map((field) => ({ field, value: field.value, place: place(), until }));
  return () => {
    // A field that is still on the page keeps its text by itself.
    const lost = found.filter(({ field }) => !field.isConnected);
    const isOlder = ({ field }) => lost.some((draft) => draft.field.id === field.id);
    drafts = [...drafts.filter((draft) => !isOlder(draft)), ...lost];
    if (lost[0]) announce("Your text was not saved. Open the form again to get it back.");
  };
}

export function fillDrafts() {
  drafts = drafts.filter(({ until }) => until > Date.now());
  for (const field of fields()) {
    const draft = drafts.find((draft) => draft.field.id === field.id && draft.place === place());
    if (!draft) continue;
    drafts = drafts.filter((other) => other !== draft);
    field.value = draft.value;
    fire(field, "input", draft.value);
    announce("Your text is back.");
  }
}
