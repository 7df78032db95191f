//! The shaders, compiled for the width of a sequence: their loops are as long as a row, and known to the compiler.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::probe::{CHAINS, THREADS};
use super::template::template;

/// Threads of a workgroup along a side.
const SIDE: usize = 8;

/// Keys that are added to outputs at a time: outputs in memory are fetched that much less often.
const TOGETHER: usize = 4;

/// The sizes of the attending kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Family {
    /// How many rows and keys a thread has. More registers a thread compute more a load, until they do not fit.
    pub rows: usize,
    pub keys: usize,
    /// Eights of threads in a workgroup: each eight share their rows.
    pub down: usize,
    /// Whether a workgroup brings keys and values into its own memory, or reads them where they lie.
    pub held: bool,
}

impl Family {
    /// For a processor in software, whose memories are all the same and where a load costs as much as some products: tiles
    /// larger than any registers, and little of a workgroup's memory, which SwiftShader's compiler clears number by number.
    pub const SOFTWARE: Family = Family { rows: 16, keys: 8, down: 1, held: false };

    /// All of them, for rows of up to 64 numbers. The last ones are for processors with few registers.
    pub const ALL: [Family; 4] = [
        Family::SOFTWARE,
        Family { rows: 8, keys: 4, down: 8, held: true },
        Family { rows: 4, keys: 4, down: 8, held: true },
        Family { rows: 4, keys: 4, down: 8, held: false },
    ];

    /// The same with less where rows are wide: a block of keys must fit into a workgroup, and outputs must not become too
    /// many to compile.
    pub(super) fn for_width(self, d: usize) -> Self {
        let fewer = match d {
            0..=64 => 1,
            65..=128 => 2,
            _ => 4,
        };
        let (rows, keys) = match (self.is_for_software(), self.held) {
            (true, _) => (self.rows / fewer, self.keys),
            (false, true) => (self.rows, (self.keys / fewer).max(1)),
            (false, false) => (self.rows, self.keys),
        };
        Family { rows, keys, ..self }
    }

    /// A workgroup of so few threads would leave a graphics processor idle.
    pub(super) fn is_for_software(self) -> bool {
        self.down == 1
    }

    /// Bytes of a workgroup's own memory.
    pub(super) fn bytes(self, d: usize) -> usize {
        let (tall, block) = (self.tall(), SIDE * self.keys);
        let held = if self.held { 16 * block * (d.div_ceil(4) + 1) } else { 0 };
        held + 4 * tall * (block + 1) + 12 * tall
    }

    /// Rows of a workgroup.
    pub(super) fn tall(self) -> usize {
        self.down * self.rows
    }
}

/// Who makes a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Pixel {
    /// A thread, cell by cell.
    Cell,
    /// A thread, 4×4 cells at a time.
    Thread,
    /// A workgroup.
    Group,
}

impl Pixel {
    /// Whichever has something to do for all its threads.
    pub(super) fn of(rows: usize, keys: usize) -> Self {
        match rows.min(keys) {
            0..4 => Pixel::Cell,
            4..32 => Pixel::Thread,
            _ => Pixel::Group,
        }
    }

    /// Pixels of a workgroup along a side.
    pub(super) fn apart(self) -> usize {
        if self == Pixel::Group { 1 } else { SIDE }
    }
}

/// How the probe multiplies and adds.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Multiplying {
    /// Four numbers at a time.
    is_vector: bool,
    /// By `fma`.
    is_fused: bool,
}

impl Multiplying {
    pub(super) const ALL: [Multiplying; 4] = [
        Multiplying { is_vector: true, is_fused: true },
        Multiplying { is_vector: true, is_fused: false },
        Multiplying { is_vector: false, is_fused: true },
        Multiplying { is_vector: false, is_fused: false },
    ];

    pub(super) fn lanes(self) -> usize {
        if self.is_vector { 4 } else { 1 }
    }
}

/// The text of the shaders that give numbers.
#[derive(Clone, Copy, Debug)]
pub struct Texts {
    pub attend: &'static str,
    pub tile: &'static str,
}

impl Default for Texts {
    fn default() -> Self {
        Texts { attend: include_str!("attend.wgsl"), tile: include_str!("tile.wgsl") }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Of {
    Attend(Family),
    Tile(Pixel),
    Probe(Multiplying),
}

/// Each compiled when it is first asked for.
pub(super) struct Pipelines {
    texts: Texts,
    made: Mutex<HashMap<(Of, usize), wgpu::ComputePipeline>>,
}

impl Pipelines {
    pub(super) fn new(texts: Texts) -> Self {
        Pipelines { texts, made: Mutex::default() }
    }

    pub(super) fn attend(&self, device: &wgpu::Device, family: Family, d: usize) -> wgpu::ComputePipeline {
        let width = d.div_ceil(4);
        let outputs = width.div_ceil(SIDE);
        let held = usize::from(family.held);
        let sizes = [
            ("ROWS", family.rows),
            ("KEYS", family.keys),
            ("DOWN", family.down),
            ("HELD", held),
            ("DIRECT", 1 - held),
            ("WIDTH", width),
            ("OUTPUTS", outputs),
            ("TOGETHER", TOGETHER),
        ];
        self.get(device, (Of::Attend(family), width), self.texts.attend, &sizes)
    }

    pub(super) fn tile(&self, device: &wgpu::Device, pixel: Pixel, d: usize) -> wgpu::ComputePipeline {
        let width = d.div_ceil(4);
        let (side, cells) = match pixel {
            Pixel::Cell => (1, 1),
            Pixel::Thread => (1, 4),
            Pixel::Group => (SIDE, 4),
        };
        let sizes = [("SIDE", side), ("ROWS", cells), ("KEYS", cells), ("WIDTH", width)];
        self.get(device, (Of::Tile(pixel), width), self.texts.tile, &sizes)
    }

    pub(super) fn probe(&self, device: &wgpu::Device, kind: Multiplying) -> wgpu::ComputePipeline {
        let is = usize::from;
        let sizes = [
            ("VECTORS", is(kind.is_vector)),
            ("SCALARS", is(!kind.is_vector)),
            ("FUSED", is(kind.is_fused)),
            ("PLAIN", is(!kind.is_fused)),
            ("CHAINS", CHAINS),
            ("THREADS", THREADS),
        ];
        self.get(device, (Of::Probe(kind), 0), include_str!("probe.wgsl"), &sizes)
    }

    fn get(
        &self,
        device: &wgpu::Device,
        of: (Of, usize),
        text: &str,
        sizes: &[(&str, usize)],
    ) -> wgpu::ComputePipeline {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let compile = || {
            let source = wgpu::ShaderSource::Wgsl(template(text, sizes).into());
            let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: None,
                layout: None,
                module: &module,
                entry_point: None,
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        };
        made.entry(of).or_insert_with(compile).clone()
    }
}
