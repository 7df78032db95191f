// The pages that are shown instead of the app: not loaded, no engine, a panic.
//
// They are plain HTML, since what failed may be the drawing itself.

import { text } from "./texts.js";

// Where the program keeps a session, the user's own and one that came by a link;
// src/platform/web/host.rs has the same names.
const SESSION_KEYS = ["attnlab.session", "attnlab.linked"];

const page = document.querySelector("#page");
let stopped = false;

// After a panic the program must not be called again: its locks may still be held.
export function is_stopped() {
  return stopped;
}

export function show_load_failed(why, ...more) {
  show("load-failed", [
    heading(text("load-failed")),
    paragraph(text("load-failed-way-on")),
    ...more,
    message(String(why)),
    buttons(button(text("try-again"), () => location.reload())),
  ]);
}

// The rest of the program is missing in the middle of a step: it must not be called again.
export function show_rest_failed(why) {
  if (stopped) return;
  stopped = true;
  fence();
  show_load_failed(why, paragraph(text("load-failed-kept")));
}

export function show_no_engine(reasons) {
  show("no-engine", [
    heading(text("no-engine")),
    paragraph(text("no-engine-why")),
    message(reasons.join("\n")),
    paragraph(text("no-engine-way-on")),
    buttons(button(text("try-again"), () => location.reload())),
  ]);
}

export function show_panic(why) {
  if (stopped) return; // the first one is the cause
  stopped = true;
  fence();
  const copy = button(text("copy"), async () => {
    await navigator.clipboard.writeText(why);
    copy.textContent = text("copied");
  });
  const mine = button(text("reload-mine"), () => reload_without_panic());
  const example = button(text("reload-example"), () => {
    for (const key of SESSION_KEYS) localStorage.removeItem(key);
    reload_without_panic("");
  });
  show("panic", [
    heading(text("panic")),
    paragraph(text("panic-why")),
    message(why),
    buttons(copy, mine, example),
    paragraph(text("reload-example-why")),
  ]);
}

// A stack overflow or a lack of memory stops the program without a panic message.
export function watch_for_traps() {
  const look = (why) => {
    if (why instanceof WebAssembly.RuntimeError) show_panic(`${why}\n${why.stack ?? ""}`);
  };
  addEventListener("error", (event) => look(event.error));
  addEventListener("unhandledrejection", (event) => look(event.reason));
}

function show(state, parts) {
  document.documentElement.dataset.state = state;
  page.replaceChildren(...parts);
  page.querySelector("h1").focus();
}

function heading(words) {
  const h1 = document.createElement("h1");
  h1.tabIndex = -1; // it takes the focus, so that a screen reader begins here
  h1.textContent = words;
  return h1;
}

function paragraph(words) {
  const p = document.createElement("p");
  p.textContent = words;
  return p;
}

function message(words) {
  const pre = document.createElement("pre");
  pre.tabIndex = 0; // it may need scrolling, by keyboard too
  pre.setAttribute("role", "log");
  pre.setAttribute("aria-label", words.split("\n")[0]);
  pre.textContent = words;
  return pre;
}

function button(words, act) {
  const b = document.createElement("button");
  b.textContent = words;
  b.addEventListener("click", act);
  return b;
}

function buttons(...those) {
  const div = document.createElement("div");
  div.className = "buttons";
  div.append(...those);
  return div;
}

function reload_without_panic(fragment = location.hash) {
  const address = new URL(location.href);
  address.searchParams.delete("panic");
  if (fragment === "" && address.hash !== "") {
    // A change of the fragment alone would not load the page anew.
    address.hash = "";
    history.replaceState(null, "", address);
    location.reload();
    return;
  }
  // The same address would only scroll, if there is a fragment.
  if (address.href === location.href) location.reload();
  else location.replace(address);
}

// Keeps events from the listeners that the stopped program left in the document.
function fence() {
  const kinds = [
    ["keydown", "keyup", "click", "paste", "copy", "cut", "focusin", "focusout", "wheel"],
    ["pointerdown", "pointerup", "pointermove", "mousemove", "mouseleave", "mousedown", "mouseup"],
    ["touchstart", "touchmove", "touchend", "touchcancel", "visibilitychange"],
  ].flat();
  for (const kind of kinds) {
    addEventListener(kind, keep_to_page, true);
    page.addEventListener(kind, (event) => event.stopPropagation());
  }
}

function keep_to_page(event) {
  if (!(event.target instanceof Node && page.contains(event.target))) {
    event.stopImmediatePropagation();
  }
}
