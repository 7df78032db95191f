// Which engine draws: WebGPU, or else WebGL, or else a page that says what is missing.
//
// Each try gets a fresh canvas, since a canvas that gave one kind of context never gives another.
// The program and its session stay the same through all of it.

import { text } from "./texts.js";
import { is_stopped, show_no_engine } from "./trouble.js";

// `?engine=` in the address forces one. "refused" asks WebGPU for a device that cannot exist.
const PLANS = {
  webgpu: ["webgpu"],
  webgl: ["webgl"],
  refused: ["refused", "webgl"],
  none: [],
};
const DEFAULT_PLAN = ["webgpu", "webgl"];

// A lost WebGL context often comes back on a fresh canvas; after this many losses it will not.
const WEBGL_LOSSES_BORNE = 3;

// WebGPU that has not answered by then will not: a page must not wait for it.
const PATIENCE_MS = 15_000;

const app = document.querySelector("#app");
const tried = []; // why engines failed, in the browser's own words
let canvas;
let webgl_losses = 0;

// Starts the first engine of the plan that works.
export async function start_engines(program, forced) {
  const plan = PLANS[forced] ?? DEFAULT_PLAN;
  for (const engine of DEFAULT_PLAN) {
    const left_out = !plan.includes(engine) && !(engine === "webgpu" && forced === "refused");
    if (left_out) tried.push(text("forced", { engine }));
  }
  await start_first_of(program, plan);
}

async function start_first_of(program, plan) {
  for (const [index, engine] of plan.entries()) {
    const rest = plan.slice(index + 1);
    if (await start(program, engine, (why) => on_lost(program, engine, why, rest))) return;
  }
  program.destroy();
  canvas?.remove();
  if (!is_stopped()) show_no_engine(tried);
}

// Whether to stop trying: the engine draws, or the program has panicked.
async function start(program, engine, on_lost) {
  document.documentElement.dataset.state = "starting";
  // Lets go of the old canvas and of the accessibility tree that belonged to it.
  program.destroy();
  canvas?.remove();
  canvas = document.createElement("canvas");
  canvas.setAttribute("aria-label", text("canvas"));
  app.prepend(canvas);
  let lost = false;
  // It may be lost at any time, even twice; the next one is started once, and not from within
  // the program, which is where a lost device is told.
  const lost_once = (why) => {
    if (lost || is_stopped()) return;
    lost = true;
    setTimeout(() => on_lost(why));
  };
  canvas.addEventListener("webglcontextlost", () => lost_once("webglcontextlost"));
  try {
    if (engine === "webgpu" && navigator.gpu) await webgpu_answers();
    await without_taking_focus(() => program.start(canvas, engine, [...tried], lost_once));
  } catch (why) {
    lost = true; // it never was there
    tried.push(`${engine}: ${why?.message ?? why}`);
    return is_stopped();
  }
  await first_frame(program);
  if (!is_stopped()) {
    performance.mark("attnlab-ready");
    document.documentElement.dataset.state = "ready";
    document.documentElement.dataset.engine = engine;
  }
  return true;
}

// Rejects where WebGPU throws or stays silent: within the program that would end in a wait without end.
function webgpu_answers() {
  const silence = new Promise((_, reject) => {
    setTimeout(() => reject(new Error(text("silent", { seconds: PATIENCE_MS / 1000 }))), PATIENCE_MS);
  });
  const asked = async () => navigator.gpu.requestAdapter();
  return Promise.race([asked(), silence]);
}

async function on_lost(program, engine, why, rest) {
  tried.push(`${engine}: ${why}`);
  const again = engine === "webgl" && ++webgl_losses < WEBGL_LOSSES_BORNE;
  await start_first_of(program, again ? ["webgl", ...rest] : rest);
}

// Resolves when something has been drawn.
function first_frame(program) {
  const before = program.passes();
  return new Promise((resolve) => {
    const look = () => {
      if (is_stopped() || program.passes() > before) resolve();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}

// eframe takes the focus when it starts. A page around us would lose it, and a screen reader
// would begin at the canvas rather than at the top.
async function without_taking_focus(start) {
  const focus = HTMLElement.prototype.focus;
  HTMLElement.prototype.focus = () => {};
  try {
    return await start();
  } finally {
    HTMLElement.prototype.focus = focus;
  }
}
