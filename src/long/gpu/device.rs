//! The graphics processor: asked for, and listened to, for it can be lost at any time.

use std::sync::{Arc, Mutex, PoisonError};

use super::pipeline::Pipelines;
use super::{Family, Texts};

/// Why no graphics processor computes. `why` is in the words of the browser or the driver.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GpuError {
    #[error("there is no graphics processor to compute with")]
    Absent,
    /// There may be one, and it is not to be had.
    #[error("no graphics processor is to be had: {why}")]
    Missing { why: String },
    /// The processor itself plays it, and computes faster without.
    #[error("the graphics processor {name} is one in software")]
    Software { name: String },
    /// One was there, and is gone or refuses.
    #[error("the graphics processor was lost: {why}")]
    Lost { why: String },
    /// `self_test` in the words of its own error.
    #[error("the graphics processor did not pass the test: {why}")]
    Wrong { why: String },
}

/// A device with its queue. Buffers and pipelines are its own.
pub struct Gpu {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    pub(super) pipelines: Pipelines,
    name: String,
    is_software: bool,
    lost: Arc<Mutex<Option<String>>>,
}

impl Gpu {
    /// The best one that there is, with the largest buffers that it allows.
    ///
    /// # Errors
    /// `Absent` and `Missing`.
    pub async fn request(texts: Texts) -> Result<Self, GpuError> {
        let missing = |why: String| GpuError::Missing { why };
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = wgpu::Backends::PRIMARY;
        let instance = wgpu::Instance::new(descriptor);
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..wgpu::RequestAdapterOptions::default()
        };
        let adapter = instance.request_adapter(&options).await.map_err(|why| match why {
            wgpu::RequestAdapterError::NotFound { .. } => GpuError::Absent,
            other => missing(other.to_string()),
        })?;
        let (info, has) = (adapter.get_info(), adapter.limits());
        let required_limits = wgpu::Limits {
            max_buffer_size: has.max_buffer_size,
            max_storage_buffer_binding_size: has.max_storage_buffer_binding_size,
            max_compute_workgroup_storage_size: has.max_compute_workgroup_storage_size,
            ..wgpu::Limits::default()
        };
        let descriptor = wgpu::DeviceDescriptor { required_limits, ..wgpu::DeviceDescriptor::default() };
        let (device, queue) = adapter.request_device(&descriptor).await.map_err(|why| missing(why.to_string()))?;
        let lost = Arc::<Mutex<Option<String>>>::default();
        let (by_loss, by_error) = (lost.clone(), lost.clone());
        device.set_device_lost_callback(move |reason, message| tell(&by_loss, format!("{reason:?}: {message}")));
        // What it refuses to do it has not done: nothing that comes after can be trusted.
        device.on_uncaptured_error(Arc::new(move |error| tell(&by_error, error.to_string())));
        let name = info.name.clone();
        // Chromium's own software device does not always say that it is one.
        let is_software = info.device_type == wgpu::DeviceType::Cpu || name.contains("SwiftShader");
        let pipelines = Pipelines::new(texts);
        Ok(Gpu { device, queue, pipelines, name, is_software, lost })
    }

    /// What it is called, as far as the browser tells.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the processor itself plays the device: then it computes faster without it.
    pub fn is_software(&self) -> bool {
        self.is_software
    }

    /// Why it computes no more, once it does not.
    pub fn lost(&self) -> Option<String> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// From now on it counts as lost.
    pub(super) fn lose(&self) -> impl FnOnce(String) + Send + 'static {
        let lost = self.lost.clone();
        move |why| tell(&lost, why)
    }

    /// That it still computes.
    pub(super) fn check(&self) -> Result<(), GpuError> {
        self.lost().map_or(Ok(()), |why| Err(GpuError::Lost { why }))
    }

    /// Has these workgroups done, with these buffers at bindings 0, 1, …. Returns at once.
    pub(super) fn run(&self, pipeline: &wgpu::ComputePipeline, buffers: &[&wgpu::Buffer], [x, y]: [u32; 2]) {
        let entries: Vec<_> = (0..)
            .zip(buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let layout = &pipeline.get_bind_group_layout(0);
        let group =
            self.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(x, y, 1);
        drop(pass);
        self.queue.submit([encoder.finish()]);
    }

    /// The longest sequence of this width that its buffers hold: each of q, k, v and the output is one.
    pub fn most_tokens(&self, d: usize) -> usize {
        let limits = self.device.limits();
        let bytes = limits.max_buffer_size.min(limits.max_storage_buffer_binding_size);
        (bytes / (16 * d.div_ceil(4) as u64)) as usize
    }

    /// The sizes of the kernel that fit into its workgroups.
    pub fn families(&self, d: usize) -> Vec<Family> {
        let most = self.device.limits().max_compute_workgroup_storage_size as usize;
        Family::ALL.into_iter().map(|family| family.for_width(d)).filter(|family| family.bytes(d) <= most).collect()
    }

    /// Those among which the fastest is looked for. In software compiling one takes longer than all that it could save.
    pub(super) fn tried(&self, d: usize) -> Vec<Family> {
        let is_for_this = |family: &Family| self.is_software == family.is_for_software();
        self.families(d).into_iter().filter(is_for_this).collect()
    }

    /// Ends it, as a browser or a driver may at any time.
    pub fn destroy(&self) {
        self.device.destroy();
    }
}

/// A page's device would wait for the garbage collector.
impl Drop for Gpu {
    fn drop(&mut self) {
        self.device.destroy();
    }
}

fn tell(lost: &Mutex<Option<String>>, why: String) {
    lost.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
}
