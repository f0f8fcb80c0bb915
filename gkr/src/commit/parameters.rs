//! The closed table of opening parameters.
//!
//! An entry is named by its id. Everything else follows from the entry and the number of
//! committed words: the folding schedule, the rates, the per-term level, the grinding and
//! every length in a proof. Nothing is read from a proof.

use p3_whir::{FoldingFactor, ProtocolParameters, SecurityAssumption, WhirConfig, WhirConfigError};

use crate::transcript::Challenger;
use crate::{E, F, Reject};

/// Composed security, in bits, that every decodable entry must reach.
pub const TARGET_BITS: usize = 128;
/// Most variables an opening supports: 2^25 words.
pub const MAX_VARIABLES: usize = 25;
/// Most bits that one proof-of-work may take.
const MAX_POW_BITS: usize = 24;
/// Levels tried above the target: p3's level holds for each error term, and there are up to
/// about 2^6 of them, the proximity gaps counted two bits below it.
const LEVELS: usize = 12;

/// One entry of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    id: u16,
    regime: SecurityAssumption,
    log_inv_rate: usize,
    target_bits: usize,
    first: Fold,
    later: Fold,
}

/// One folding phase: variables folded, and bits by which the evaluation domain shrinks.
/// The rate falls by the difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// log2 of the evaluations that one query opens.
    pub variables: usize,
    /// log2 of the ratio between this domain and the next.
    pub shrink: usize,
}

/// Johnson regime throughout, and schedules chosen by measuring. Processor time of both
/// threads, halved, in ms, of commitment (median) + opening (mean, since grinding is random),
/// then the proof's KiB; prefix layout, random words, huge pages for large allocations, an
/// AVX-512 EPYC with two threads. The machine was busy with other work (load 4 to 7), so wall
/// time was useless, differences below a tenth mean little, and cells compare within a column
/// and a rate only. 10 runs a cell at rate 1/2
/// (4 at 2^24), 6 at rate 1/4 (4 at 2^23); schedules are (first fold, later)+(shrink, later):
///
/// | schedule | 2^18 | 2^20 | 2^22 | 2^23 | 2^24 |
/// |---|---|---|---|---|---|
/// | id 1: (7,4)+(5,2) | 2+5, 226 | 8+11, 247 | 43+35, 283 | 84+70, 296 | 179+136, 308 |
/// | (7,4)+(6,2) | 2+5, 241 | 8+10, 266 | 43+34, 306 | 91+61, 319 | 171+130, 332 |
/// | (7,4)+(6,1) | 2+4, 238 | 8+10, 262 | 40+36, 300 | 87+68, 313 | – |
/// | id 3: (6,4)+(5,2) | 2+4, 183 | 9+11, 210 | 45+41, 253 | 96+85, 267 | 206+161, 280 |
/// | (6,4)+(4,2) | 2+5, 167 | 9+13, 190 | 47+50, 228 | 105+104, 241 | 190+181, 255 |
/// | unique decoding, (7,5)+(6,1) | 2+2, 308 | 8+4, 425 | 42+14, 471 | 96+29, 487 | 166+50, 601 |
/// | id 2, rate 1/4: (7,4)+(7,2) | – | 19+21, 172 | 91+72, 204 | 157+116, 213 | – |
/// | rate 1/4: (6,4)+(6,2) | – | 21+19, 150 | 96+72, 184 | 180+134, 193 | – |
/// | rate 1/4: (7,5)+(7,2) | – | 20+20, 218 | 91+61, 232 | – | – |
///
/// Verification of the three entries took 3 to 7 ms. What decided:
/// - A first fold of 7 instead of 6 makes commitments cheaper (shorter transforms, fewer
///   leaves) and openings too, for a tenth more bytes: hence two entries at rate 1/2.
/// - (7,4)+(6,2) took 2 to 10 % less time than entry 1 in seven comparisons at 2^22 to 2^24
///   and 7 % more in the eighth, for 8 % more bytes; the bytes decided. (7,5)+(7,2) took a
///   tenth less than entry 2 at 2^22, twice, for 14 % more bytes.
/// - At rate 1/4 the order of (7,4)+(7,2) and (6,4)+(6,2) is not settled: 13 % less time in
///   one run at 2^23, 4 % more in another.
/// - Shrinking the domain by less than the fold lowers the rate and saves queries, until the
///   lower rate's proximity gap has to be ground away: computed for 2^23, (6,4)+(2,2) takes
///   225 KiB but 4.4 M hashes, (6,4)+(5,2) 0.6 M. Later folds that shrink by 2 instead of 1
///   grind less for a few KiB.
/// - Unique decoding grinds nothing and takes 20 to 40 % less time, but is too large.
/// - The least grinding that the configuration accepts: a bit more saves 1 % of the queries.
/// - p3's prefix layout against its suffix layout, id 1 at 2^23, two interleaved runs of six:
///   commitment 85 and 78 against 75 and 74, opening 67 and 64 against 89 and 91. It keeps one
///   more copy of the words until the opening.
/// - Without huge pages, same place: commitment 107 and 105, opening 78 and 76.
const TABLE: [Parameters; 3] = [
    Parameters {
        id: 1,
        regime: SecurityAssumption::JohnsonBound,
        log_inv_rate: 1,
        target_bits: TARGET_BITS,
        first: Fold { variables: 7, shrink: 5 },
        later: Fold { variables: 4, shrink: 2 },
    },
    Parameters {
        id: 2,
        regime: SecurityAssumption::JohnsonBound,
        log_inv_rate: 2,
        target_bits: TARGET_BITS,
        first: Fold { variables: 7, shrink: 7 },
        later: Fold { variables: 4, shrink: 2 },
    },
    Parameters {
        id: 3,
        regime: SecurityAssumption::JohnsonBound,
        log_inv_rate: 1,
        target_bits: TARGET_BITS,
        first: Fold { variables: 6, shrink: 5 },
        later: Fold { variables: 4, shrink: 2 },
    },
];

impl Parameters {
    /// Every entry that a proof can name.
    pub const fn table() -> &'static [Self] {
        &TABLE
    }

    /// The entry of that id.
    ///
    /// # Errors
    /// [`Reject::UnknownParameters`].
    pub fn by_id(id: u16) -> Result<Self, Reject> {
        TABLE.iter().find(|entry| entry.id == id).copied().ok_or(Reject::UnknownParameters(id))
    }

    /// The first entry for codes of rate `2^-log_inv_rate`, if the table has one.
    pub fn for_rate(log_inv_rate: usize) -> Option<Self> {
        TABLE.iter().find(|entry| entry.log_inv_rate == log_inv_rate).copied()
    }

    /// Parameters for tests, of `target_bits` composed security and any schedule. Their id, 0,
    /// is in no table, so no decoder can reach them.
    #[cfg(feature = "testing")]
    pub const fn insecure_for_tests(
        regime: SecurityAssumption,
        log_inv_rate: usize,
        target_bits: usize,
        first: Fold,
        later: Fold,
    ) -> Self {
        Self { id: 0, regime, log_inv_rate, target_bits, first, later }
    }

    /// The id under which a proof names the entry.
    pub const fn id(&self) -> u16 {
        self.id
    }

    /// The decoding regime that the security bound argues in.
    pub const fn regime(&self) -> SecurityAssumption {
        self.regime
    }

    /// log2 of the first code's inverse rate.
    pub const fn log_inv_rate(&self) -> usize {
        self.log_inv_rate
    }

    /// Composed security, in bits, that an instance must reach.
    pub const fn target_bits(&self) -> usize {
        self.target_bits
    }

    /// The schedule: the first folding phase, and all later ones.
    pub const fn folds(&self) -> (Fold, Fold) {
        (self.first, self.later)
    }

    /// Fewest variables: shorter vectors are extended with zeros.
    pub(super) const fn min_variables(&self) -> usize {
        self.first.variables + self.later.variables
    }

    /// The configuration for `num_variables` at a per-term `level`, with the least grinding
    /// that suffices: grinding saves few queries and costs much time.
    pub(super) fn config(
        &self,
        num_variables: usize,
        level: usize,
    ) -> Result<WhirConfig<E, F, Challenger>, WhirConfigError> {
        let folding_factor =
            FoldingFactor::ConstantFromSecondRound(self.first.variables, self.later.variables);
        let (num_rounds, _) = folding_factor.compute_number_of_rounds(num_variables)?;
        let mut rate = self.log_inv_rate;
        let round_log_inv_rates = (0..num_rounds)
            .map(|round| {
                let fold = if round == 0 { self.first } else { self.later };
                rate = (rate + fold.variables).saturating_sub(fold.shrink);
                rate
            })
            .collect();
        let mut parameters = ProtocolParameters {
            starting_log_inv_rate: self.log_inv_rate,
            round_log_inv_rates,
            folding_factor,
            soundness_type: self.regime,
            security_level: level,
            pow_bits: 0,
        };
        loop {
            match WhirConfig::new_with_initial_claims(num_variables, parameters.clone(), 1) {
                Err(WhirConfigError::PowBitsExceedBudget { required, .. })
                    if required > parameters.pow_bits && required <= MAX_POW_BITS =>
                {
                    parameters.pow_bits = required;
                }
                outcome => return outcome,
            }
        }
    }

    /// The per-term levels worth trying, lowest first.
    pub(super) fn levels(&self) -> impl Iterator<Item = usize> + use<> {
        self.target_bits..=self.target_bits + LEVELS
    }
}
