//! Times of the library's tracing spans, summed up by name.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tracing::span::Id;
use tracing::subscriber::{Interest, set_global_default};
use tracing::{Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::{LookupSpan, Registry};

use crate::cli::failure::Failure;

/// Spans that are counted. Those of p3 have names of its own.
const NAMES: [&str; 30] = [
    "das.encode",
    "das.commit",
    "das.membership",
    "whir.commit",
    "gkr.walk.trace",
    "gkr.walk.prove",
    "gkr.walk.full",
    "gkr.walk.partial",
    "gkr.walk.skip",
    "gkr.walk.fold",
    "gkr.walk.hold",
    "gkr.walk.rounds",
    "gkr.batch.traces",
    "gkr.levels.merge",
    "gkr.form.prove",
    "whir.open",
    "gkr.walk.verify",
    "gkr.form.verify",
    "whir.verify",
    "air.trace",
    "air.inputs",
    "air.calls.trace",
    "air.inner_product.trace",
    "prove_batch",
    "generate lookup permutation",
    "compute quotient",
    "compute_inverse_denominators",
    "FRI prover",
    "air.encode",
    "air.verify",
];

/// When a span was, each time it was entered.
#[derive(Clone, Copy, Debug)]
struct Times {
    seconds: f64,
    first: Instant,
    last: Instant,
}

/// Times by span.
type Sums = BTreeMap<&'static str, Times>;

/// What the spans have taken since it was asked for last.
#[derive(Clone, Debug, Default)]
pub(super) struct Spans(Arc<Mutex<Sums>>);

impl Spans {
    /// Listens to all spans of this process.
    pub(super) fn install() -> Result<Self, Failure> {
        let spans = Self::default();
        set_global_default(Registry::default().with(spans.clone()))
            .map_err(|error| Failure::unusable(format!("cannot listen to spans: {error}")))?;
        Ok(spans)
    }

    /// The times of each span, which start at zero again.
    pub(super) fn take(&self) -> Taken {
        Taken(std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    fn add(&self, name: &'static str, start: Instant, end: Instant) {
        let mut sums = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let times = Times { seconds: 0.0, first: start, last: end };
        let times = sums.entry(name).or_insert(times);
        times.seconds += (end - start).as_secs_f64();
        times.first = times.first.min(start);
        times.last = times.last.max(end);
    }
}

/// Times by span.
#[derive(Debug)]
pub(super) struct Taken(Sums);

impl Taken {
    fn times(&self, name: &str) -> Option<&Times> {
        debug_assert!(NAMES.contains(&name), "{name} is not counted");
        self.0.get(name)
    }

    /// The span's seconds, all occurrences added up; zero where it did not occur. For spans
    /// that follow one another.
    pub(super) fn get(&self, name: &str) -> f64 {
        self.times(name).map_or(0.0, |times| times.seconds)
    }

    /// From a span's first beginning to its last end: the wall's time of spans on several
    /// threads.
    pub(super) fn extent(&self, name: &str) -> f64 {
        self.times(name).map_or(0.0, |times| (times.last - times.first).as_secs_f64())
    }

    /// From the last end of one span to the first beginning of another.
    pub(super) fn between(&self, before: &str, after: &str) -> f64 {
        let (before, after) = (self.times(before), self.times(after));
        let gap =
            |before: &Times, after: &Times| after.first.saturating_duration_since(before.last);
        before.zip(after).map_or(0.0, |(before, after)| gap(before, after).as_secs_f64())
    }

    /// From the beginning of one span to the first beginning of another.
    pub(super) fn until(&self, start: &str, after: &str) -> f64 {
        let (start, after) = (self.times(start), self.times(after));
        let gap = |start: &Times, after: &Times| after.first.saturating_duration_since(start.first);
        start.zip(after).map_or(0.0, |(start, after)| gap(start, after).as_secs_f64())
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Spans {
    /// The others cost nothing.
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        let counted = metadata.is_span() && NAMES.contains(&metadata.name());
        if counted { Interest::always() } else { Interest::never() }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            span.extensions_mut().replace(Instant::now());
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let start = span.extensions_mut().remove::<Instant>();
        if let Some(start) = start {
            self.add(span.name(), start, Instant::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tracing::info_span;
    use tracing::subscriber::with_default;

    use super::*;

    #[test]
    fn times_add_up_by_name() {
        let spans = Spans::default();
        let pause = Duration::from_millis(2);
        with_default(Registry::default().with(spans.clone()), || {
            for _ in 0..2 {
                let _outer = info_span!("whir.open").entered();
                let _inner = info_span!("gkr.walk.prove").entered();
                let _other = info_span!("something else").entered();
                std::thread::sleep(pause);
            }
        });
        let taken = spans.take();
        assert_eq!(taken.0.keys().copied().collect::<Vec<_>>(), ["gkr.walk.prove", "whir.open"]);
        assert!(taken.get("gkr.walk.prove") >= 2.0 * pause.as_secs_f64());
        assert!(taken.get("whir.open") >= taken.get("gkr.walk.prove"));
        assert_eq!(spans.take().get("whir.open"), 0.0);
    }

    #[test]
    fn spans_that_overlap_have_an_extent() {
        let spans = Spans::default();
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        spans.add("prove_batch", at(0), at(100));
        spans.add("compute quotient", at(30), at(70));
        spans.add("compute quotient", at(20), at(60));
        spans.add("FRI prover", at(75), at(90));
        let taken = spans.take();
        let millis = |seconds: f64| (seconds * 1e3).round();
        assert_eq!(millis(taken.get("compute quotient")), 80.0);
        assert_eq!(millis(taken.extent("compute quotient")), 50.0);
        assert_eq!(millis(taken.until("prove_batch", "compute quotient")), 20.0);
        assert_eq!(millis(taken.between("compute quotient", "FRI prover")), 5.0);
        assert_eq!(taken.between("compute quotient", "air.encode"), 0.0);
    }
}
