//! Ctrl-C: the first asks for a clean end with the summary so far, the second ends at once.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Exit code of a process that was interrupted, by custom of the shells.
const INTERRUPTED: i32 = 130;

/// Listens from now on. Where the system has no signals, Ctrl-C ends the program as usual.
pub(crate) fn listen() {
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Relaxed) {
            std::process::exit(INTERRUPTED);
        }
    });
}

/// Whether the person wants an end.
pub(crate) fn is_asked() -> bool {
    ASKED.load(Relaxed)
}
