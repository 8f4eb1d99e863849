//! What a process has used up, as Linux tells it; elsewhere nobody does.

use std::time::Duration;
use std::{fs, thread};

/// How long the threads of a process have run on a core. One that has ended is not counted.
pub fn cpu(process: u32) -> Option<Duration> {
    let mut nanoseconds = 0;
    for thread in fs::read_dir(format!("/proc/{process}/task")).ok()? {
        // It may have ended in the meantime.
        let Ok(text) = fs::read_to_string(thread.ok()?.path().join("schedstat")) else { continue };
        nanoseconds += text.split(' ').next()?.parse::<u64>().ok()?;
    }
    Some(Duration::from_nanos(nanoseconds))
}

/// The same a little later: the time of a thread is exact once it rests.
pub fn settled_cpu(process: u32) -> Option<Duration> {
    thread::sleep(Duration::from_millis(20));
    cpu(process)
}

/// How many bytes of memory a process has.
pub fn resident(process: u32) -> Option<u64> {
    status(process, "VmRSS:")
}

/// The most bytes that a process ever had.
pub fn peak(process: u32) -> Option<u64> {
    status(process, "VmHWM:")
}

fn status(process: u32, field: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(field))?;
    Some(value.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}
