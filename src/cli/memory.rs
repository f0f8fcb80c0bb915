//! How much memory this process has held, as Linux tells.

use std::fs;

/// The most memory held so far, in bytes.
pub(super) fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// Begins the count of [`peak`] again with what is held now, where the system lets us.
pub(super) fn forget_peak() {
    // Refused, the peak is that of the whole process: never too low.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_told_on_linux() {
        assert_eq!(peak().is_some(), cfg!(target_os = "linux"));
    }
}
