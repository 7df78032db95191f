// The rest of the program: what a page that only begins does not need (xtask/src/split.rs). It comes after the first picture;
// what needs it before waits for it.

import { show_rest_failed } from "./trouble.js";

const address = new URL("./attnlab_rest.wasm", import.meta.url);

// Whether a service worker has kept it: then it costs nothing, and a request that is waited for would not find it there.
export function is_kept() {
  return Boolean(navigator.serviceWorker?.controller);
}

// Called once there is a picture, or before where it is kept. Where it fails, load_rest tries again when it is needed.
export async function fetch_rest(first) {
  try {
    const answer = await fetch(address);
    const bytes = await answer.arrayBuffer();
    if (answer.ok && !first.rest_is_here.value) await WebAssembly.instantiate(bytes, { first });
  } catch (why) {
    console.warn(why);
  }
}

// Called by the program, which cannot go on without it: the browser waits.
export function load_rest(first) {
  try {
    const bytes = fetch_now(address);
    new WebAssembly.Instance(new WebAssembly.Module(bytes), { first });
  } catch (why) {
    show_rest_failed(why);
    throw why;
  }
}

function fetch_now(address) {
  const request = new XMLHttpRequest();
  request.open("GET", address, false);
  // A request that is waited for gives no bytes, only letters: these stand for one byte each.
  request.overrideMimeType("text/plain; charset=x-user-defined");
  request.send();
  if (request.status !== 200) throw new Error(`attnlab_rest.wasm: HTTP ${request.status}`);
  return Uint8Array.from(request.responseText, (letter) => letter.charCodeAt(0));
}
