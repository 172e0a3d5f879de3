import { $, all } from "./page.js";

// Names and numbers of contacts, and the emergency number, kept in this browser for when there is
// no connection. They go when somebody else signs in, or nobody is signed in here any more; but
// then they stay while an alert of their owner is not sent.

export const people = () => JSON.parse(localStorage.people ?? "[]");

// The emergency number has no country code.
export const hasContacts = () => people().some(([, href]) => href.startsWith("tel:+"));

export function rememberPeople() {
  const list = $("#phone-numbers");
  if (!list) return;
  const found = all("a", list).map((link) => [link.textContent, link.getAttribute("href")]);
  const text = JSON.stringify(found);
  try {
    if (localStorage.people !== text) localStorage.people = text;
  } catch {
    // A full storage keeps no numbers, and the page goes on.
  }
}

export function forgetPeople() {
  localStorage.removeItem("people");
  localStorage.removeItem("peopleOf");
}

// Fills a list with links that call; returns how many there are.
export function showPeople(list) {
  const known = people();
  const text = JSON.stringify(known);
  if (list.people !== text) {
    list.people = text;
    list.replaceChildren(...known.map(callEntry));
  }
  return known.length;
}

function callEntry([name, href]) {
  const link = Object.assign(document.createElement("a"), { href, className: "button wide" });
  link.textContent = `Call ${name} · ${href.replace("tel:", "")}`;
  const entry = document.createElement("li");
  entry.append(link);
  return entry;
}
