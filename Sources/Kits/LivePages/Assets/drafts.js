import { fire } from "./events.js";
import { all, announce, page } from "./page.js";

// Keeps text that was typed into a sheet that the server has lost. The text is kept only in memory.
// It is filled in when the same user opens the same sheet again.

// How long a draft is kept, in milliseconds.
const keptFor = 600000;
let drafts = [];

const fields = () => all("dialog[data-modal] [data-draft]");
const place = () => `${page.root.dataset.user} ${location.pathname}`;

// Called before a completely new page is shown. Returns the function to call afterwards.
export function keepDrafts() {
  const until = Date.now() + keptFor;
  const typed = fields().filter(({ sent }) => sent);
  const found = typed.map((field) => ({ field, value: field.value, place: place(), until }));
  return () => {
    // A sheet that stays on the page keeps its text.
    const lost = found.filter(({ field }) => !field.isConnected);
    const isOlder = ({ field }) => lost.some((draft) => draft.field.id === field.id);
    drafts = [...drafts.filter((draft) => !isOlder(draft)), ...lost];
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
