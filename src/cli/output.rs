//! What a command says: results, progress on a terminal, what to do next.

use std::fmt::Write as _;
use std::io::{self, ErrorKind, IsTerminal, Write as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::failure::Failure;

/// How much is said.
pub(crate) struct Output {
    quiet: bool,
    terminal: bool,
}

impl Output {
    pub(crate) fn new(quiet: bool) -> Self {
        Self { quiet, terminal: io::stderr().is_terminal() }
    }

    /// A result that was not asked for by name: silenced by `--quiet`.
    pub(crate) fn say(&self, text: &str) -> Result<(), Failure> {
        if self.quiet { Ok(()) } else { print(text) }
    }

    /// A hint at the command to use next.
    pub(crate) fn next(&self, hint: &str) -> Result<(), Failure> {
        self.say(&format!("next: {hint}"))
    }

    /// A bar over `steps` steps, on a terminal only.
    pub(crate) fn bar(&self, steps: usize, what: &'static str) -> ProgressBar {
        if self.quiet || !self.terminal {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::new(steps as u64).with_message(what);
        // The template is ours; should it be wrong, the bar's own look will do.
        if let Ok(style) = ProgressStyle::with_template("{msg:24} {wide_bar} {pos}/{len} {eta}") {
            bar.set_style(style);
        }
        bar
    }

    /// A spinner, on a terminal only.
    pub(crate) fn spinner(&self, what: &'static str) -> Spinner {
        if self.quiet || !self.terminal {
            return Spinner(ProgressBar::hidden());
        }
        let spinner = ProgressBar::new_spinner().with_message(what);
        spinner.enable_steady_tick(Duration::from_millis(100));
        Spinner(spinner)
    }
}

/// A spinner that goes away with its scope.
pub(crate) struct Spinner(ProgressBar);

impl Spinner {
    /// Says what is being done now.
    pub(crate) fn at(&self, what: &'static str) {
        self.0.set_message(what);
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// A line, or several, to stdout. Whoever closed it early has seen enough.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    match io::stdout().write_all(format!("{}\n", text.trim_end_matches('\n')).as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(cannot_print(&error)),
        _ => Ok(()),
    }
}

/// What was asked for did not get through.
pub(crate) fn cannot_print(error: &io::Error) -> Failure {
    Failure::unusable(format!("cannot write to stdout: {error}"))
}

/// A result as one JSON object.
pub(crate) fn json(result: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(result)
        .map_err(|error| Failure::unusable(format!("cannot write JSON: {error}")))?;
    print(&text)
}

/// Rows of cells in aligned columns: the first to the left, the others to the right, except for
/// what follows the last aligned column, which is a remark.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Adds a row.
    pub(crate) fn row<const N: usize>(&mut self, cells: [&str; N]) -> &mut Self {
        self.rows.push(cells.map(str::to_owned).to_vec());
        self
    }

    /// The table's text, `aligned` columns of it aligned.
    pub(crate) fn render(&self, aligned: usize) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().filter(|row| row.len() > 1);
            cells.filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
        };
        let widths: Vec<usize> = (0..aligned).map_while(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let gap = if column == 0 { "" } else { "  " };
                // Writing to a string does not fail.
                let _ = match widths.get(column) {
                    Some(width) if column == 0 => write!(line, "{gap}{cell:<width$}"),
                    Some(width) => write!(line, "{gap}{cell:>width$}"),
                    None => write!(line, "{gap}{cell}"),
                };
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

/// A size in a unit that leaves it readable.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..10_240 => format!("{bytes} B"),
        10_240..10_485_760 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}

/// Seconds or milliseconds.
pub(crate) fn seconds(time: f64) -> String {
    if time < 1.0 { format!("{:.1} ms", time * 1e3) } else { format!("{time:.2} s") }
}

/// Columns as runs, `00003-00007, 00010`; they must be in ascending order.
pub(crate) fn runs(indices: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &index in indices {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == index => *last = index,
            _ => runs.push((index, index)),
        }
    }
    let run = |(first, last): (usize, usize)| {
        if first == last { format!("{first:05}") } else { format!("{first:05}-{last:05}") }
    };
    runs.into_iter().map(run).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_align() {
        let mut table = Table::default();
        table.row(["a", "1", "s"]).row(["bcd", "234", "bytes"]).row(["a heading"]);
        assert_eq!(table.render(2), "a      1  s\nbcd  234  bytes\na heading\n");
    }

    #[test]
    fn neighbours_make_runs() {
        assert_eq!(runs(&[]), "");
        assert_eq!(runs(&[1, 2, 3, 7, 9, 10]), "00001-00003, 00007, 00009-00010");
        assert_eq!(runs(&[123_456]), "123456");
    }

    #[test]
    fn sizes_and_times_have_units() {
        assert_eq!([size(1), size(10_240), size(20 << 20)], ["1 B", "10.0 KiB", "20.0 MiB"]);
        assert_eq!([seconds(0.0123), seconds(2.0)], ["12.3 ms", "2.00 s"]);
    }
}
