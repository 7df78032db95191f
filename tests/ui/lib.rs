//! Tests of the window, in `ui.rs`. A member of its own, so that the core's tests build no window.
