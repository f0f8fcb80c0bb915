//! The closed table of opening parameters.
//!
//! An entry is named by its id. Everything else follows from the entry and the number of
//! committed words: the folding schedule, the rates, the per-term level, the grinding and
//! every length in a proof. Nothing is read from a proof.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic_in_result_fn)]

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

/// Johnson regime throughout, and schedules chosen by measuring. Each cell gives the medians
/// of commitment + opening in ms, then the opening proof's mean KiB, over 30 runs at rate 1/2
/// and 12 at rate 1/4, candidates taken in turn. The standard error of the mean sum is about
/// 1 ms at rate 1/2 (6 for entry 3 at 3.62 M words) and 2 to 5 at rate 1/4. Random words, two
/// threads of an AVX-512 EPYC with no other measurement or build running, BLAKE3, huge pages
/// for large allocations. Columns of the first codeword that hold zeros only are not committed,
/// so the fill of 2^m matters: 98 % at 2.06 M words, 86 % at 3.62 M, 52 % at 4.39 M and 84 %
/// at 7.06 M. Schedules are (first fold, later)+(shrink, later):
///
/// | schedule | 2.06 M | 3.62 M | 4.39 M | 7.06 M |
/// |---|---|---|---|---|
/// | id 1: (7,4)+(5,2) | 16+21, 257 | 27+28, 265 | 30+50, 230 | 45+50, 275 |
/// | (7,3)+(5,2) | 15+21, 257 | 26+29, 253 | 30+53, 229 | 44+52, 273 |
/// | (7,3)+(6,1) | 15+20, 266 | 27+29, 264 | 30+50, 240 | 44+49, 284 |
/// | (7,3)+(6,2) | 15+20, 271 | 27+27, 269 | 30+46, 248 | 45+47, 292 |
/// | (7,4)+(5,3) | 16+20, 260 | 27+27, 272 | 30+50, 238 | 45+48, 281 |
/// | (7,4)+(6,2) | 15+19, 276 | 26+26, 287 | 29+45, 254 | 45+45, 298 |
/// | (7,5)+(6,2) | 15+19, 321 | 27+33, 316 | 30+46, 280 | 45+45, 325 |
/// | id 3: (6,4)+(5,2) | 15+21, 237 | 29+33, 244 | 36+62, 234 | 51+69, 256 |
/// | (6,3)+(5,2) | 15+22, 219 | 28+35, 238 | 35+74, 231 | 50+76, 253 |
/// | (6,4)+(4,2) | 16+26, 215 | 29+44, 220 | 35+80, 209 | 50+77, 230 |
/// | id 2, rate 1/4: (7,4)+(7,2) | – | 46+36, 195 | – | 79+67, 204 |
/// | rate 1/4: (7,4)+(6,2) | – | 46+37, 174 | – | 79+71, 181 |
/// | rate 1/4: (7,3)+(7,2) | – | 45+36, 178 | – | 80+75, 198 |
/// | rate 1/4: (7,5)+(7,2) | – | 45+35, 224 | – | 80+70, 230 |
/// | rate 1/4: (6,4)+(6,2) | – | 47+43, 179 | – | 95+88, 188 |
///
/// Verification took 1.9 to 2.6 ms at rate 1/2, 1.4 to 1.8 ms at rate 1/4. What decided:
/// - A first fold of 7 instead of 6 makes openings cheaper, and commitments beyond 2^22 words
///   too, for at most a tenth more bytes: hence two entries at rate 1/2. One of 8 commits 4 to
///   9 % faster, opens no faster than (7,4)+(6,2), and adds a third to the proof.
/// - Entry 1 leaves room for the rest of a proof, some 44 KiB, below 330 KiB at 7.06 M words.
///   Of the schedules that do, (7,3)+(6,1), (7,3)+(5,2) and (7,4)+(5,3) differ from it by at
///   most 4 % of the mean time: about the spread. (7,4)+(6,2) is 2 to 8 % faster but 298 KiB.
/// - Entry 3 saves 7 to 8 % of entry 1's bytes where the vector is nearly full, nothing where
///   it is half empty. (6,4)+(4,2) saves a tenth of entry 3's bytes for 5 to 20 % more time,
///   (6,3)+(5,2) up to 8 % for up to 9 %.
/// - At rate 1/4, (7,4)+(6,2) has a tenth fewer bytes than entry 2 for 2 to 7 % more time;
///   (6,4)+(6,2) takes 12 to 26 % more.
/// - Shrinking the domain by less than the fold lowers the rate and saves queries, until the
///   lower rate's proximity gap has to be ground away: (7,4)+(4,2) and (7,4)+(5,1) open 13 to
///   36 % slower than entry 1 for 2 to 5 % fewer bytes.
/// - Unique decoding grinds nothing but is too large: (7,5)+(6,1) takes 408 KiB at 2.45 M words,
///   450 at 3.62 M and 527 at 9.0 M, where entry 1 takes 225, 265 and 245.
/// - The least grinding that the configuration accepts: a bit more saves 1 % of the queries.
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
        self.first.variables.saturating_add(self.later.variables)
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
                rate = rate.saturating_add(fold.variables).saturating_sub(fold.shrink);
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
        let target = self.target_bits;
        (0..=LEVELS).filter_map(move |above| target.checked_add(above))
    }
}
