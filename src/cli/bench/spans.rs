//! Times of the library's tracing spans, summed up by name.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tracing::span::Id;
use tracing::subscriber::{Interest, set_global_default};
use tracing::{Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::{LookupSpan, Registry};

use crate::cli::failure::Failure;

/// Spans that are counted; none of them lies in another of its name.
const NAMES: [&str; 12] = [
    "das.encode",
    "das.commit",
    "das.membership",
    "whir.commit",
    "gkr.walk.trace",
    "gkr.walk.prove",
    "gkr.levels.merge",
    "gkr.form.prove",
    "whir.open",
    "gkr.walk.verify",
    "gkr.form.verify",
    "whir.verify",
];

/// Seconds by span.
type Sums = BTreeMap<&'static str, f64>;

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

    /// The seconds of each span, which start at zero again.
    pub(super) fn take(&self) -> Taken {
        Taken(std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    fn add(&self, name: &'static str, time: Duration) {
        let mut sums = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *sums.entry(name).or_default() += time.as_secs_f64();
    }
}

/// Seconds by span.
#[derive(Debug)]
pub(super) struct Taken(Sums);

impl Taken {
    /// The span's seconds, zero where it did not occur.
    pub(super) fn get(&self, name: &str) -> f64 {
        debug_assert!(NAMES.contains(&name), "{name} is not counted");
        self.0.get(name).copied().unwrap_or_default()
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
            self.add(span.name(), start.elapsed());
        }
    }
}

#[cfg(test)]
mod tests {
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
}
