import { all, page, part } from "./page.js";

// What is there is changed and not replaced, so that focus, caret, scroll and open sheets survive.

export function applyPage({ g, n, view: id, html, ...outline }) {
  page.view = id;
  change(g, n, outline, () => morph(document.getElementById("page"), parse(html)));
}

export function applyPatch({ g, n, c, ...outline }) {
  return change(g, n, outline, () => {
    for (const [kind, id, ...rest] of c) {
      const target = part(id);
      if (!target) return false;
      if (kind === "r") morph(target, parse(rest.map(markup).join("")));
      else rearrange(target, ...rest);
    }
  });
}

function change(g, n, outline, apply) {
  const focused = document.activeElement;
  const selection = focused?.selectionStart ?? null;
  page.settled = n;
  if (apply() === false) return false;
  page.generation = g;
  if (focused !== document.activeElement && focused?.isConnected) {
    focused.focus({ preventScroll: true });
    if (selection !== null) focused.setSelectionRange?.(selection, selection);
  }
  setOutline(outline);
  return true;
}

const markup = (chunk) => (typeof chunk === "string" ? chunk : `<template data-keep="${chunk[0]}"></template>`);

function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content.firstElementChild;
}

function rearrange(list, removed, ...placed) {
  for (const id of removed) part(id)?.remove();
  for (const [chunk, before] of placed) {
    const item = typeof chunk === "string" ? parse(chunk) : part(chunk[0]);
    if (item) list.insertBefore(item, before ? part(before) : null);
  }
}

function morph(old, fresh) {
  const kept = new Map(all("template[data-keep]", fresh).map((stub) => [stub.dataset.keep, part(stub.dataset.keep)]));
  morphNode(old, fresh, kept);
}

function morphNode(old, fresh, kept) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  const isOurs = (name) => name === "style" || (name === "open" && (old.nodeName === "DIALOG" || old.nodeName === "DETAILS"));
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && !isOurs(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  if (old.nodeName !== "TEXTAREA") morphChildren(old, fresh, kept);
  setValue(old, fresh);
}

function morphChildren(old, fresh, kept) {
  let next = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    const isKept = kept.has(child.dataset?.keep);
    const match = isKept ? kept.get(child.dataset.keep) : counterpart(next, child);
    if (match && match === next) next = next.nextSibling;
    else old.insertBefore(match ?? child, next);
    if (match && !isKept) morphNode(match, child, kept);
    if (!match) for (const stub of all("template[data-keep]", old)) stub.replaceWith(kept.get(stub.dataset.keep) ?? "");
  }
  while (next) {
    const gone = next;
    next = next.nextSibling;
    gone.remove();
  }
}

const nameOf = (node) => node.dataset?.p ?? (node.id || undefined);

function counterpart(from, child) {
  const name = nameOf(child);
  for (let node = from; node; node = node.nextSibling) {
    if (node.nodeName === child.nodeName && nameOf(node) === name && node.type === child.type) return node;
  }
}

// A field is not set back to what the server knew before the latest keystrokes.
function setValue(field, fresh) {
  if (field.timer || (field.sent ?? 0) > page.settled) return;
  if (field.type === "checkbox" || field.type === "radio") field.checked = fresh.hasAttribute("checked");
  else if (field.nodeName === "SELECT") field.value = fresh.value;
  else if (field.nodeName === "TEXTAREA" || (field.nodeName === "INPUT" && fresh.hasAttribute("value") && field.type !== "file")) {
    if (field.value !== fresh.value) field.value = fresh.value;
  }
}

function setOutline({ path, title, user }) {
  if (title !== undefined) document.title = title;
  if (user !== undefined) page.root.dataset.user = user;
  if (path !== undefined && path !== location.pathname) history.pushState(null, "", path);
}
