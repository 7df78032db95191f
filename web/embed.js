// <attention-lab>: Attention Lab inside another page, in a frame of its own, so that a panic, its
// policy, its focus and its storage stay apart.
//
//   <script src="https://…/embed.js"></script>
//   <attention-lab state="1.…" lang="en" theme="dark" show="formula why"></attention-lab>
//
// state   the part of a link after "#"; without it the first example
// lang    "en" or "zh-CN"; without it what the browser prefers
// theme   "light" or "dark"; without it what the system prefers
// show    which of header, formula, why, panels stand around the matrices; "formula why" if left out
//
// get() and set(problem) read and replace the problem (the JSON of a problem file) and return
// promises. The event "change" tells the new state in its detail.
//
// The frame is started when it is nearly seen, and ended when it is far away, with its state kept:
// a browser draws only about sixteen at a time.

// A classic script, since a module from another site would need that site's leave.
(() => {
  const HOME = new URL("./", document.currentScript.src);
  const NEAR = "400px";
  const FAR = "4000px";
  const FIRST_HEIGHT = 480;

  class AttentionLab extends HTMLElement {
    static observedAttributes = ["state", "lang", "theme", "show"];

    #frame = null;
    #state = null; // as it was last told
    #height = FIRST_HEIGHT;
    #ready = false;
    #waiting = new Map(); // answers that are not here yet, by id
    #questions = []; // asked before the frame was ready
    #next = 1;
    #observers = [];
    #hear = (event) => this.#heard(event);

    connectedCallback() {
      this.style.setProperty("display", "block");
      this.style.setProperty("min-height", `${this.#height}px`);
      addEventListener("message", this.#hear);
      const watch = (margin, act) => {
        const observer = new IntersectionObserver((entries) => act(entries.at(-1).isIntersecting), {
          rootMargin: margin,
        });
        observer.observe(this);
        this.#observers.push(observer);
      };
      watch(NEAR, (is_near) => is_near && this.#start());
      watch(FAR, (is_near) => !is_near && this.#stop());
    }

    disconnectedCallback() {
      removeEventListener("message", this.#hear);
      for (const observer of this.#observers.splice(0)) observer.disconnect();
      this.#stop();
    }

    attributeChangedCallback(name) {
      if (name === "state") this.#state = null;
      if (this.#frame) {
        this.#stop();
        this.#start();
      }
    }

    get() {
      return this.#ask({ attnlab: "get" }).then((answer) => answer.problem);
    }

    async set(problem) {
      const { errors } = await this.#ask({ attnlab: "set", problem });
      if (errors.length > 0) throw new TypeError(errors.join("\n"));
    }

    #start() {
      if (this.#frame) return;
      const address = new URL("index.html", HOME);
      address.searchParams.set("embed", "");
      address.searchParams.set("origin", location.origin);
      for (const name of ["lang", "theme", "show"]) {
        if (this.hasAttribute(name)) address.searchParams.set(name, this.getAttribute(name));
      }
      address.hash = this.#state ?? this.getAttribute("state") ?? "";
      const frame = document.createElement("iframe");
      frame.title = this.getAttribute("title") ?? "Attention Lab";
      frame.allow = "clipboard-write";
      frame.src = address.href;
      const look = { display: "block", width: "100%", border: "0", height: `${this.#height}px` };
      for (const [name, value] of Object.entries(look)) frame.style.setProperty(name, value);
      this.replaceChildren(frame);
      this.#frame = frame;
    }

    #stop() {
      this.#frame?.remove();
      this.#frame = null;
      this.#ready = false;
    }

    #ask(question) {
      const id = this.#next++;
      return new Promise((resolve) => {
        this.#waiting.set(id, resolve);
        this.#questions.push({ ...question, id });
        this.#start();
        this.#send();
      });
    }

    #send() {
      if (!this.#ready) return;
      for (const question of this.#questions.splice(0)) {
        this.#frame.contentWindow.postMessage(question, HOME.origin);
      }
    }

    #heard(event) {
      if (event.source !== this.#frame?.contentWindow || event.origin !== HOME.origin) return;
      const { attnlab: said, id, state, height } = event.data ?? {};
      if (said === "height") {
        this.#height = Math.ceil(height);
        this.style.setProperty("min-height", `${this.#height}px`);
        this.#frame.style.setProperty("height", `${this.#height}px`);
        // It draws, so it hears.
        this.#ready = true;
        this.#send();
      }
      if (said === "changed") {
        this.#state = state;
        this.dispatchEvent(new CustomEvent("change", { detail: { state } }));
      }
      if (said === "problem" || said === "set") {
        this.#waiting.get(id)?.(event.data);
        this.#waiting.delete(id);
      }
    }
  }

  customElements.define("attention-lab", AttentionLab);
})();
