import { enter } from "./back.js";
import { all, page, part } from "./page.js";

// Applies changes to the existing elements, which keeps the focus, the caret, the scroll position
// and open sheets.

let kept;

// Returns false if the patch refers to a part that the page doesn't contain.
export function apply({ g, n, c, view, path, title, user }) {
  const focused = document.activeElement;
  const { selectionStart, selectionEnd } = focused;
  page.settled = n;
  for (const [id, html] of c) {
    const old = part(id);
    if (!old) return false;
    const { content } = Object.assign(document.createElement("template"), { innerHTML: html });
    const stubs = all("template", content);
    // Finds all parts with one query, because a list can contain hundreds.
    const parts = new Map(stubs.length ? all("[data-p]").map((it) => [it.dataset.p, it]) : []);
    kept = new Map(stubs.map(({ id }) => [id, parts.get(id)]));
    morph(old, content.firstChild);
  }
  page.generation = g;
  if (view) page.view = view;
  if (path) {
    document.title = title;
    page.root.dataset.user = user;
    enter(path);
  }
  if (focused !== document.activeElement && focused.isConnected) {
    focused.focus({ preventScroll: true });
    if (selectionStart != null) focused.setSelectionRange(selectionStart, selectionEnd);
  }
  return true;
}

function morph(old, fresh) {
  if (old.data !== fresh.data) old.data = fresh.data;
  if (!old.attributes) return;
  // Keeps `style` and `open`, because the script and the browser set them.
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) &&
    !/style|open/.test(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value)
    old.setAttribute(name, value);
  if (old.nodeName !== "TEXTAREA") morphChildren(old, fresh);
  setValue(old, fresh);
}

function morphChildren(old, fresh) {
  let next = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    const stays = kept.get(child.id);
    const match = stays ?? counterpart(next, child);
    // Moves the siblings of an open sheet. Moving the sheet itself would remove it from the top
    // layer.
    if (match?.showModal && match.parentNode === old)
      for (let last; next !== match; old.append(last)) [last, next] = [next, next.nextSibling];
    if (match && match === next) next = next.nextSibling;
    else old.insertBefore(match ?? child, next);
    if (!match) for (const stub of all("template", old)) stub.replaceWith(kept.get(stub.id));
    else if (!stays) morph(match, child);
  }
  while (next) {
    const gone = next;
    next = next.nextSibling;
    gone.remove();
  }
}

const nameOf = (node) => node.dataset?.p ?? node.id;

function counterpart(node, child) {
  while (node && (node.nodeName !== child.nodeName || nameOf(node) !== nameOf(child)))
    node = node.nextSibling;
  return node;
}

// Sets a field's value, unless the field contains newer input than the server had.
function setValue(field, fresh) {
  if (field.sent > page.settled) return;
  if (/checkbox|radio/.test(field.type)) field.checked = fresh.checked;
  // Keeps the value of an `input` if the server's markup contains no value.
  else if (field.nodeName !== "INPUT" || fresh.hasAttribute("value"))
    if (field.value !== fresh.value) field.value = fresh.value;
}
