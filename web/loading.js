// Fetches the program and shows how far it is, so that a slow line never shows a blank page.

import { text } from "./texts.js";

const page = document.querySelector("#page");
const bar = document.createElement("progress");
const status = document.createElement("p");
status.setAttribute("role", "status");

// Replaces what index.html says by the sentences in the user's language.
export function show_loading() {
  const title = document.createElement("h1");
  title.textContent = text("title");
  bar.max = Number(document.body.dataset.wasmBytes) || 1;
  bar.value = 0;
  bar.setAttribute("aria-label", text("title"));
  page.replaceChildren(title, bar, status);
  show_bytes(0);
}

// The program as a response whose bytes are counted while they arrive.
export async function fetch_program() {
  const answer = await fetch(new URL("./attnlab_bg.wasm", import.meta.url));
  if (!answer.ok) throw new Error(`attnlab_bg.wasm: HTTP ${answer.status}`);
  let done = 0;
  const count = new TransformStream({
    transform(chunk, onward) {
      done += chunk.byteLength;
      show_bytes(done);
      onward.enqueue(chunk);
    },
    flush() {
      status.textContent = text("starting");
    },
  });
  // The type lets the browser compile while it loads.
  const headers = { "Content-Type": "application/wasm" };
  return new Response(answer.body.pipeThrough(count), { headers });
}

function show_bytes(done) {
  const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
  bar.value = done;
  status.textContent = text("loading", { done: megabytes(done), total: megabytes(bar.max) });
}
