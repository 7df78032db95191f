// The sentences of everything that is shown without the program, in two languages.

const FALLBACK = "en";
let texts = { [FALLBACK]: {} };
let language = FALLBACK;

// Reads the texts and takes the language that the browser prefers.
export async function load_texts() {
  const answer = await fetch(new URL("./page.json", import.meta.url));
  if (!answer.ok) throw new Error(`page.json: HTTP ${answer.status}`);
  texts = await answer.json();
  for (const wanted of navigator.languages ?? []) {
    const found = Object.keys(texts).find((known) => primary(known) === primary(wanted));
    if (found) return set_language(found);
  }
  set_language(FALLBACK);
}

// Shows the page as being in this language; the program calls it when the user switches.
export function set_language(tag) {
  language = Object.keys(texts).find((known) => primary(known) === primary(tag)) ?? FALLBACK;
  document.documentElement.lang = language;
  document.title = text("title");
}

// A sentence, with its {places} filled.
export function text(key, values = {}) {
  // Without the file the key is still better than nothing.
  const sentence = texts[language]?.[key] ?? key;
  return sentence.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
}

function primary(tag) {
  return tag.toLowerCase().split("-")[0];
}
