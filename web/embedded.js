// The page inside another page: it keeps nothing in the browser, stays out of the way until it is
// used, tells how high it is, and answers its parent, and nobody else.
//
// Messages are objects with a key "attnlab". The parent may send
//   { attnlab: "get", id }            and is answered { attnlab: "problem", id, problem, state }
//   { attnlab: "set", id, problem }   and is answered { attnlab: "set", id, errors: [] }
// and is told, unasked, { attnlab: "height", height } and { attnlab: "changed", state }.
// The parent's origin stands in the address (?origin=…): without it nothing is said or heard.

import { is_stopped } from "./trouble.js";

export function is_embedded(address) {
  return address.has("embed");
}

export class Embedded {
  #program;
  #origin;

  constructor(program, address) {
    this.#program = program;
    this.#origin = origin_of(address.get("origin"));
    document.documentElement.dataset.embed = "";
    leave_the_wheel_to_the_parent();
    addEventListener("message", (event) => this.#hear(event));
  }

  // The program tells its events from within itself: it is asked back only afterwards.
  tell_changed() {
    setTimeout(() => {
      if (!is_stopped()) this.#say({ attnlab: "changed", state: this.#program.state_link() });
    });
  }

  tell_height(height) {
    this.#say({ attnlab: "height", height: Number(height) });
  }

  #say(message) {
    if (this.#origin && parent !== window) parent.postMessage(message, this.#origin);
  }

  #hear(event) {
    if (event.source !== parent || parent === window || !this.#origin) return;
    if (event.origin !== this.#origin || is_stopped()) return;
    const { attnlab: asked, id, problem } = event.data ?? {};
    if (asked === "get") {
      const text = this.#program.problem_text();
      const state = this.#program.state_link();
      this.#say({ attnlab: "problem", id, problem: JSON.parse(text), state });
    }
    if (asked === "set") {
      const errors = this.#program.set_problem(JSON.stringify(problem) ?? "");
      this.#say({ attnlab: "set", id, errors });
    }
  }
}

// "*" and what is no origin are nobody.
function origin_of(text) {
  try {
    const { origin } = new URL(text);
    return origin === text ? origin : null;
  } catch {
    return null;
  }
}

// Until something in here is pressed, a wheel over it scrolls the page around it.
function leave_the_wheel_to_the_parent() {
  let used = false;
  addEventListener("pointerdown", () => (used = true), true);
  addEventListener("blur", () => (used = false));
  const leave = (event) => {
    if (!used) event.stopImmediatePropagation();
  };
  addEventListener("wheel", leave, { capture: true, passive: true });
}
