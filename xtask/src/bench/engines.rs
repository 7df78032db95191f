//! What is measured: our own engines and what a user would take instead.
//!
//! One more is a line here and a module in `tests/bench/engines/`.

use serde_json::{Value, json};

/// Where an engine computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    /// The processor, in WebAssembly.
    Cpu,
    /// Whatever the browser offers as WebGPU.
    WebGpu,
}

impl Device {
    /// As engines call it.
    pub fn key(self) -> &'static str {
        match self {
            Self::Cpu => "wasm",
            Self::WebGpu => "webgpu",
        }
    }

    /// Lengths that are measured unless others are asked for.
    pub fn lengths(self, is_quick: bool) -> &'static [usize] {
        match (self, is_quick) {
            (Self::Cpu, false) => &[512, 1024, 2048, 4096, 8192, 16_384],
            (Self::Cpu, true) => &[1024, 4096],
            (Self::WebGpu, false) => &[1024, 4096],
            (Self::WebGpu, true) => &[1024],
        }
    }
}

/// A module of `tests/bench/engines/` with what it is told.
#[derive(Debug, PartialEq)]
pub struct Engine {
    /// As `--engines` takes it.
    pub id: &'static str,
    /// As tables show it.
    pub name: &'static str,
    pub module: &'static str,
    pub device: Device,
    pub is_ours: bool,
    /// With each of these numbers of threads it is measured.
    pub threads: &'static [usize],
    /// What the module is told beside the device and the threads.
    option: Option<(&'static str, &'static str)>,
}

const CPU: Engine =
    Engine { id: "", name: "", module: "", device: Device::Cpu, is_ours: false, threads: &[1, 2], option: None };
const WEBGPU: Engine = Engine { device: Device::WebGpu, threads: &[1], ..CPU };

/// All of them, ours first.
pub static ENGINES: [Engine; 11] = [
    Engine {
        id: "ours",
        name: "Attention Lab, relaxed SIMD",
        module: "ours",
        is_ours: true,
        option: Some(("build", "relaxed")),
        ..CPU
    },
    Engine {
        id: "ours-simd",
        name: "Attention Lab, plain SIMD",
        module: "ours",
        is_ours: true,
        option: Some(("build", "simd")),
        ..CPU
    },
    Engine { id: "onnx", name: "onnxruntime-web", module: "onnx", ..CPU },
    Engine {
        id: "onnx-fused",
        name: "onnxruntime-web, MultiHeadAttention",
        module: "onnx",
        option: Some(("operator", "fused")),
        ..CPU
    },
    // Asked for more threads it starts Workers, says that it computes with one, and is as fast as with one.
    Engine { id: "tfjs", name: "TensorFlow.js", module: "tfjs", threads: &[1], ..CPU },
    Engine { id: "jax", name: "jax-js", module: "jax", ..CPU },
    Engine { id: "ours-webgpu", name: "Attention Lab", module: "ours-gpu", is_ours: true, ..WEBGPU },
    Engine { id: "onnx-webgpu", name: "onnxruntime-web", module: "onnx", ..WEBGPU },
    Engine {
        id: "onnx-webgpu-fused",
        name: "onnxruntime-web, MultiHeadAttention",
        module: "onnx",
        option: Some(("operator", "fused")),
        ..WEBGPU
    },
    Engine { id: "tfjs-webgpu", name: "TensorFlow.js", module: "tfjs", ..WEBGPU },
    Engine { id: "jax-webgpu", name: "jax-js", module: "jax", ..WEBGPU },
];

/// A deliberate mistake, measured first: where it is not found, nothing else can be believed.
pub static CONTROL: Engine =
    Engine { id: "control", name: "a wrong one", module: "control", option: Some(("build", "relaxed")), ..CPU };

impl Engine {
    /// What its `open` is told.
    pub fn options(&self, threads: usize) -> Value {
        let mut options = json!({ "device": self.device.key(), "threads": threads });
        if let Some((key, value)) = self.option {
            options[key] = value.into();
        }
        options
    }

    /// Its name with the threads, where there is a choice.
    pub fn label(&self, threads: usize) -> String {
        match (self.device, threads) {
            (Device::WebGpu, _) => self.name.to_owned(),
            (Device::Cpu, 1) => format!("{}, 1 thread", self.name),
            (Device::Cpu, _) => format!("{}, {threads} threads", self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_engine_has_its_module_and_its_own_name() {
        let folder = crate::tool::root().join("tests/bench/engines");
        for engine in ENGINES.iter().chain([&CONTROL]) {
            assert!(folder.join(engine.module).with_extension("js").is_file(), "{}", engine.id);
        }
        assert_eq!(ENGINES.iter().map(|engine| engine.id).collect::<BTreeSet<_>>().len(), ENGINES.len());
        let names = ENGINES.iter().map(|engine| (engine.device.key(), engine.name));
        assert_eq!(names.collect::<BTreeSet<_>>().len(), ENGINES.len());
    }
}
