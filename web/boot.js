// Starts the program in the page: load it, start an engine, and say what happens in between.
//
// The pieces: texts.js has the sentences in two languages; loading.js fetches the program and
// shows how far it is; rest.js fetches what of it may come after the first picture; engines.js tries WebGPU and WebGL and
// goes on when one is lost; files.js takes files in and hands them out; trouble.js shows what went wrong. The program is
// attnlab.js with its wasm, both written by the build.

import init, * as program from "./attnlab.js";
import { Embedded, is_embedded } from "./embedded.js";
import { start_engines } from "./engines.js";
import { choose_files, save_file, save_picture, take_dropped_files } from "./files.js";
import { fetch_program, show_loading } from "./loading.js";
import { fetch_rest, is_kept } from "./rest.js";
import { load_texts, set_language } from "./texts.js";
import { is_stopped, show_load_failed, show_panic, watch_for_traps } from "./trouble.js";

const address = new URLSearchParams(location.search);
let embedded; // where the page stands inside another one

async function boot() {
  let first;
  try {
    await load_texts();
    show_loading();
    first = await init({ module_or_path: await fetch_program() });
  } catch (why) {
    show_load_failed(why);
    return;
  }
  watch_for_traps();
  program.listen(on_program_event);
  program.set_worker_address(new URL("./long-worker.js", import.meta.url).href);
  // For the browser tests, and of no use to anyone else: the number of egui passes so far, a
  // panic inside or outside a frame, the loss of the WebGPU device, the engine in use.
  const { passes, panic_now, lose_device, engine_in_use } = program;
  globalThis.attnlab = { passes, panic_now, lose_device, engine_in_use };
  if (is_embedded(address)) embedded = new Embedded(program, address);
  else work_offline();
  take_dropped_files(take_file);
  addEventListener("hashchange", () => {
    if (!is_stopped()) program.open_link(location.hash);
  });
  // Another tab has kept a state or thrown one away: what is kept is the same in both.
  addEventListener("storage", ({ key }) => {
    if (key === "attnlab.states" && !is_stopped()) program.states_changed();
  });
  const is_at_hand = is_kept();
  if (is_at_hand) await fetch_rest(first);
  await start_engines(program, address.get("engine"));
  if (!is_at_hand) fetch_rest(first);
  if (address.has("panic")) program.panic_now(address.get("panic") === "frame");
}

// What the program tells the page. It is called from within the program, so nothing here may
// call back into it.
function on_program_event(kind, detail) {
  if (kind === "panic") show_panic(detail);
  if (kind === "language") set_language(detail);
  if (kind === "file") save_file(...detail);
  if (kind === "picture") save_picture(...detail);
  if (kind === "choose-files") choose_files(take_file);
  if (kind === "changed") embedded?.tell_changed();
  if (kind === "height") embedded?.tell_height(detail);
  if (kind === "forget-link") {
    // Without the fragment, and without an event that would open it again.
    history.replaceState(null, "", location.pathname + location.search);
  }
}

// An embedded page keeps nothing, and some browsers and addresses allow no worker: it works all the same.
function work_offline() {
  navigator.serviceWorker?.register(new URL("../sw.js", import.meta.url)).catch(() => {});
}

function take_file(name, bytes, size) {
  if (!is_stopped()) program.take_file(name, bytes, size);
}

boot();
