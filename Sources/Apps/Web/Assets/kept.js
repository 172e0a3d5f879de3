// IndexedDB stores that the pages share with the service worker. A write is on the disk when its
// promise resolves; `localStorage` may take seconds. The service worker includes this script, too.

const inStore = (name, mode, work) => new Promise((resolve, reject) => {
  const opening = indexedDB.open("lifesignal", 1);
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore("queue", { keyPath: "id" });
    opening.result.createObjectStore("shared", { keyPath: "id" });
  };
  opening.onerror = () => reject(opening.error);
  opening.onsuccess = () => {
    const database = opening.result;
    const transaction = database.transaction(name, mode, { durability: "strict" });
    const asked = work(transaction.objectStore(name));
    const end = (settle) => () => {
      database.close();
      settle(asked?.result);
    };
    transaction.oncomplete = end(resolve);
    transaction.onabort = end(reject);
  };
});

export const keptItems = () => inStore("queue", "readonly", (store) => store.getAll());

export const keepItems = (items, gone) => inStore("queue", "readwrite", (store) => {
  for (const item of items) store.put(item);
  for (const id of gone) store.delete(id);
});

// Removes items that were sent. Keeps an alert that the user has ended since then.
export const dropItems = (sent) => inStore("queue", "readwrite", (store) => {
  for (const { id, ended } of sent) {
    const asked = store.get(id);
    asked.onsuccess = () => asked.result?.ended === ended && store.delete(id);
  }
});

export const keepShared = (shared) => inStore("shared", "readwrite", (store) => store.put(shared));

// Removes the picture that another app has shared, and resolves with it.
export const takeShared = () => inStore("shared", "readwrite", (store) => {
  const asked = store.getAll();
  asked.addEventListener("success", () => store.clear());
  return asked;
});
