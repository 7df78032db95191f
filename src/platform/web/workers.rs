//! The page's Workers as hands for long sequences. `web/long-worker.js` says what goes to and fro.

use crate::long::{Build, Done, Hands, Keys, Of, Partial, Pool, Rule, Side, Work};
use eframe::egui::Context;
use js_sys::{Array, Float32Array, Object, Reflect};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{Event, MessageEvent, Worker, WorkerOptions, WorkerType};

type Outcomes = Rc<RefCell<Vec<(usize, u64, Result<Done, String>)>>>;

/// What hears a Worker's answers, and what hears it break.
type Listeners = (Closure<dyn FnMut(MessageEvent)>, Closure<dyn FnMut(Event)>);

/// More than these would not be faster on usual machines, and each holds a slice of the keys.
const MOST: usize = 8;

/// As many Workers as the machine has processors, started when they are made and ended when they are dropped.
pub struct Workers {
    workers: Vec<Worker>,
    outcomes: Outcomes,
    /// What each has in hand: should it break, all of that has failed.
    given: Vec<Vec<u64>>,
    build: Rc<RefCell<Build>>,
    peak: Rc<Cell<Option<f64>>>,
    broken: Rc<RefCell<Option<String>>>,
    /// Kept as long as the Workers.
    _listeners: Vec<Listeners>,
}

impl Workers {
    /// # Errors
    /// The browser allows no Worker here, in its words.
    pub fn new(address: &str, context: &Context) -> Result<Self, String> {
        let processors = web_sys::window().map_or(1.0, |window| window.navigator().hardware_concurrency());
        let count = (processors as usize).clamp(1, MOST);
        let (outcomes, build) = (Outcomes::default(), Rc::new(RefCell::new(Build::Starting)));
        let peak = Rc::<Cell<Option<f64>>>::default();
        let broken = Rc::<RefCell<Option<String>>>::default();
        let (mut workers, mut listeners) = (Vec::new(), Vec::new());
        for hand in 0..count {
            let options = WorkerOptions::new();
            options.set_type(WorkerType::Module);
            let worker = Worker::new_with_options(address, &options).map_err(|why| said(&why))?;
            let (outcomes, build, peak, repaint) = (outcomes.clone(), build.clone(), peak.clone(), context.clone());
            let listener = Closure::new(move |event: MessageEvent| {
                let answer = event.data();
                if let Some(name) = get(&answer, "build").as_string() {
                    build.replace(if name == "relaxed" { Build::Relaxed } else { Build::Simd });
                    peak.set(get(&answer, "operations_per_second").as_f64());
                } else {
                    let id = get(&answer, "id").as_f64().unwrap_or(0.0) as u64;
                    outcomes.borrow_mut().push((hand, id, outcome(&answer)));
                }
                repaint.request_repaint();
            });
            worker.set_onmessage(Some(listener.as_ref().unchecked_ref()));
            let (why, repaint, of) = (broken.clone(), context.clone(), address.to_owned());
            let failed = Closure::new(move |event: Event| {
                let message = get(&event, "message").as_string().unwrap_or_default();
                why.replace(Some(match message.as_str() {
                    // All that a browser says of an address that cannot be loaded.
                    "" => format!("a Worker does not start: {of} cannot be loaded"),
                    message => format!("a Worker does not start: {message}"),
                }));
                repaint.request_repaint();
            });
            worker.set_onerror(Some(failed.as_ref().unchecked_ref()));
            workers.push(worker);
            listeners.push((listener, failed));
        }
        let given = vec![Vec::new(); count];
        let all = Self { workers, outcomes, given, build, peak, broken, _listeners: listeners };
        // Which build of the kernel runs here, and how fast it could be.
        let probe = Message::new();
        probe.set("id", 0.0);
        probe.set("kind", "probe");
        all.workers[0].post_message(&probe.object).map_err(|why| said(&why))?;
        Ok(all)
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        for worker in &self.workers {
            worker.terminate();
        }
    }
}

impl Hands for Workers {
    fn count(&self) -> usize {
        self.workers.len()
    }

    fn give(&mut self, hand: usize, id: u64, work: Work) {
        self.given[hand].push(id);
        let (message, buffers) = message(id, work);
        if let Err(why) = self.workers[hand].post_message_with_transfer(&message, &buffers) {
            self.outcomes.borrow_mut().push((hand, id, Err(said(&why))));
        }
    }

    fn take(&mut self) -> Vec<(usize, u64, Result<Done, String>)> {
        let mut done = std::mem::take(&mut *self.outcomes.borrow_mut());
        for (hand, id, _) in &done {
            self.given[*hand].retain(|given| given != id);
        }
        if let Some(why) = &*self.broken.borrow() {
            let failed = |(hand, ids): (usize, &mut Vec<u64>)| {
                ids.drain(..).map(|id| (hand, id, Err(why.clone()))).collect::<Vec<_>>()
            };
            done.extend(self.given.iter_mut().enumerate().flat_map(failed));
        }
        done
    }

    fn build(&self) -> Build {
        self.build.borrow().clone()
    }

    fn peak(&self) -> Option<f64> {
        // One was tried while the others were idle.
        self.peak.get().map(|of_one| of_one * self.workers.len() as f64)
    }
}

/// What a browser says of an error, without where in the program it happened.
fn said(why: &JsValue) -> String {
    why.dyn_ref::<js_sys::Error>().map_or_else(|| format!("{why:?}"), |error| String::from(error.message()))
}

fn get(object: &JsValue, key: &str) -> JsValue {
    Reflect::get(object, &key.into()).unwrap_or(JsValue::UNDEFINED)
}

fn numbers(answer: &JsValue, key: &str) -> Option<Vec<f32>> {
    get(answer, key).dyn_into::<Float32Array>().ok().map(|array| array.to_vec())
}

fn outcome(answer: &JsValue) -> Result<Done, String> {
    if let Some(error) = get(answer, "error").as_string() {
        return Err(error);
    }
    if let Some(there_was_memory) = get(answer, "naive").as_bool() {
        return Ok(Done::Naive(there_was_memory));
    }
    if let Some(pixels) = numbers(answer, "pixels") {
        return Ok(Done::Pixels(pixels));
    }
    match (numbers(answer, "output"), numbers(answer, "maximum"), numbers(answer, "sum")) {
        (Some(output), Some(maximum), Some(sum)) => Ok(Done::Rows(Partial { output, maximum, sum })),
        _ => Err("a Worker answered without numbers".to_owned()),
    }
}

/// An object for a Worker, and the buffers that go with it.
struct Message {
    object: Object,
    buffers: Array,
}

impl Message {
    fn new() -> Self {
        Self { object: Object::new(), buffers: Array::new() }
    }

    fn set(&self, key: &str, value: impl Into<JsValue>) {
        Reflect::set(&self.object, &key.into(), &value.into()).expect("a plain object takes every key");
    }

    fn numbers(&self, key: &str, numbers: &[f32]) {
        let array = Float32Array::from(numbers);
        self.buffers.push(&array.buffer());
        self.set(key, array);
    }
}

fn message(id: u64, work: Work) -> (JsValue, JsValue) {
    let all = Message::new();
    all.set("id", id as f64);
    match work {
        Work::Attend { n, d, scale, rule, first, q, keys } => {
            all.set("kind", "attend");
            sizes(&all, n, d, scale, rule);
            all.set("first", first as f64);
            all.numbers("q", &q);
            if let Some(Keys { first, k, v }) = keys {
                let slice = Message { object: Object::new(), buffers: all.buffers.clone() };
                slice.set("first", first as f64);
                slice.numbers("k", &k);
                slice.numbers("v", &v);
                all.set("keys", slice.object);
            }
        }
        Work::Tile { n, d, scale, rule, rows, keys, q, k, maximum, sum, pool, of } => {
            all.set("kind", "tile");
            sizes(&all, n, d, scale, rule);
            all.set("rows", side(&rows));
            all.set("keys", side(&keys));
            for (key, numbers) in [("q", &q), ("k", &k), ("maximum", &maximum), ("sum", &sum)] {
                all.numbers(key, numbers);
            }
            all.set(
                "pool",
                match pool {
                    Pool::Max => "max",
                    Pool::Mean => "mean",
                    Pool::Sum => "sum",
                },
            );
            all.set(
                "of",
                match of {
                    Of::Scores => "scores",
                    Of::Scaled => "scaled",
                    Of::Weights => "weights",
                },
            );
        }
        Work::Naive { n, d } => {
            all.set("kind", "naive");
            all.set("n", n as f64);
            all.set("d", d as f64);
        }
        Work::Step(_) | Work::Output(_) | Work::Piece(..) => unreachable!("Workers hold no sequence"),
    }
    (all.object.into(), all.buffers.into())
}

fn sizes(message: &Message, n: usize, d: usize, scale: f32, Rule { causal, left, right, real }: Rule) {
    message.set("n", n as f64);
    message.set("d", d as f64);
    message.set("scale", scale);
    let rule = Message::new();
    rule.set("causal", causal);
    for (key, bound) in [("left", left), ("right", right), ("real", real)] {
        if let Some(bound) = bound {
            rule.set(key, bound as f64);
        }
    }
    message.set("rule", rule.object);
}

fn side(Side { range, pixels, made }: &Side) -> Object {
    let side = Message::new();
    for (key, number) in
        [("start", range.start), ("end", range.end), ("pixels", *pixels), ("from", made.start), ("to", made.end)]
    {
        side.set(key, number as f64);
    }
    side.object
}
