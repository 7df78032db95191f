//! How fast a processor is when it only multiplies and adds: no kernel of ours can be faster.

use super::pipeline::Multiplying;
use super::read::read;
use super::trial::{Clock, growing};
use super::{Gpu, GpuError};

/// Threads of a workgroup, and workgroups: enough to fill any processor.
pub(super) const THREADS: usize = 64;
const GROUPS: usize = 1024;
/// Sums of a thread that do not wait for each other.
pub(super) const CHAINS: usize = 8;
/// How often each is multiplied and added to: at least, and at most.
const TIMES: (usize, usize) = (16, 1 << 20);

/// Operations a second at most, of which a multiplication and an addition are two.
///
/// # Errors
/// `Lost` where the processor stops.
pub async fn peak(gpu: &Gpu, clock: &Clock) -> Result<f64, GpuError> {
    let mut most = 0.0_f64;
    for kind in Multiplying::ALL {
        let (times, took) = growing(TIMES, async |times| multiply(gpu, kind, times, clock).await).await?;
        let operations = (times - TIMES.0) * CHAINS * THREADS * GROUPS * kind.lanes() * 2;
        most = most.max(operations as f64 / (took / 1000.0));
    }
    Ok(most)
}

/// Milliseconds until a result is here.
async fn multiply(gpu: &Gpu, kind: Multiplying, times: usize, clock: &Clock) -> Result<f64, GpuError> {
    let pipeline = gpu.pipelines.probe(&gpu.device, kind);
    let buffer = |size: usize, usage: wgpu::BufferUsages| {
        let size = size as u64;
        gpu.device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
    };
    let asked = buffer(8, wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST);
    let bytes = 4 * kind.lanes() * THREADS * GROUPS;
    let sums = buffer(bytes, wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC);
    gpu.queue.write_buffer(&asked, 0, bytemuck::cast_slice(&[times as u32, 0.5_f32.to_bits()]));
    let start = clock();
    gpu.run(&pipeline, &[&asked, &sums], [GROUPS as u32, 1]);
    let found = read(gpu, &[(&sums, 0, 4)]).await?;
    let took = clock() - start;
    asked.destroy();
    sums.destroy();
    // Halved and one more, each sum comes to 2. Who did nothing would have been infinitely fast.
    let is_done = (found[0] - 2.0 * CHAINS as f32).abs() <= 0.1;
    if is_done { Ok(took) } else { Err(GpuError::Wrong { why: format!("multiply and add gave {}", found[0]) }) }
}
