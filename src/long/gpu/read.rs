//! Numbers out of the processor's memory. Nothing waits for them but who wants to: `begin` says later, `read` is a future.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};

use super::{Gpu, GpuError};

/// Copies `bytes` bytes from `start` of each buffer, one after the other, and hands the numbers over once they are here. With
/// a native device that happens while it is polled, in a page by itself. A processor whose numbers cannot be
/// had counts as lost.
pub(super) fn begin(
    gpu: &Gpu,
    parts: &[(&wgpu::Buffer, u64, u64)],
    done: impl FnOnce(Result<Vec<f32>, GpuError>) + Send + 'static,
) {
    if let Err(error) = gpu.check() {
        return done(Err(error));
    }
    let size = parts.iter().map(|(_, _, bytes)| bytes).sum();
    let here = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size,
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let mut at = 0;
    for (buffer, start, bytes) in parts {
        encoder.copy_buffer_to_buffer(buffer, *start, &here, at, *bytes);
        at += bytes;
    }
    gpu.queue.submit([encoder.finish()]);
    let (mapped, lose) = (here.clone(), gpu.lose());
    here.map_async(wgpu::MapMode::Read, .., move |outcome| {
        let numbers = outcome.map_err(|why| why.to_string()).and_then(|()| {
            let bytes = mapped.get_mapped_range(..).map_err(|why| why.to_string())?;
            let numbers = bytemuck::pod_collect_to_vec::<u8, f32>(&bytes);
            drop(bytes);
            mapped.unmap();
            mapped.destroy();
            Ok(numbers)
        });
        done(numbers.map_err(|why| {
            lose(why.clone());
            GpuError::Lost { why }
        }));
    });
}

/// What `begin` gives, awaited. A native device is waited for here.
pub(super) async fn read(gpu: &Gpu, parts: &[(&wgpu::Buffer, u64, u64)]) -> Result<Vec<f32>, GpuError> {
    type State = (Option<Result<Vec<f32>, GpuError>>, Option<Waker>);
    let state = Arc::<Mutex<State>>::default();
    let there = state.clone();
    begin(gpu, parts, move |numbers| {
        let mut state = there.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 = Some(numbers);
        if let Some(waker) = state.1.take() {
            waker.wake();
        }
    });
    // In a page this does nothing.
    gpu.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|why| GpuError::Lost { why: why.to_string() })?;
    let numbers = poll_fn(|context| {
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        match state.0.take() {
            Some(numbers) => Poll::Ready(numbers),
            None => {
                state.1 = Some(context.waker().clone());
                Poll::Pending
            }
        }
    })
    .await?;
    // What it refused to do before shows by now.
    gpu.check()?;
    Ok(numbers)
}
