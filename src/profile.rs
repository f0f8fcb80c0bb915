//! Profiles: names for shapes.
//!
//! `bX-cY-rZ-wT` is k = 8192·X symbols a row, cells of c = Y symbols, n = Z rows and log
//! inverse rate T of the opening. A free profile states k itself: `kK-cY-rZ-wT`, as in
//! `k4096-c16-r3-w1`. In both, `-rZ` may be left out, n then being what the payload needs, and
//! `-wT`, which then is `-w1`. K, 8192·X and Y are powers of two.

#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]

use std::fmt;
use std::str::FromStr;

use crate::error::Error;
use crate::params::{HashWidth, MAX_LOG_K, MAX_ROWS, Params};

/// Symbols that `b1` stands for.
const LOG_UNIT: usize = 13;
/// Largest log inverse rate that a name may carry.
const MAX_LOG_INV_RATE: usize = 8;
/// Rows that the default profile stays within while there is a larger known row length.
const DEFAULT_ROWS: u64 = 14;
/// log2 of the default profile's columns.
const DEFAULT_LOG_COLUMNS: usize = 10;

/// The rule by which [`Profile::default_for`] chooses, in words.
pub const DEFAULT_RULE: &str = "\
The default is the smallest known profile whose row length k keeps the number of
rows n within 14 (the largest k if none does), with cells of the size c that makes
1024 columns where k allows, and as many rows as the payload needs.";

/// The profiles of the published tables: X, Y, Z, T.
const KNOWN: [[usize; 4]; 28] = [
    [1, 16, 14, 1],
    [2, 16, 14, 1],
    [2, 32, 1, 1],
    [2, 32, 2, 1],
    [2, 32, 4, 1],
    [2, 32, 6, 1],
    [2, 32, 8, 1],
    [2, 32, 10, 1],
    [2, 32, 12, 1],
    [2, 32, 14, 1],
    [2, 32, 14, 2],
    [2, 32, 15, 1],
    [2, 32, 16, 1],
    [2, 32, 18, 1],
    [2, 32, 20, 1],
    [2, 32, 24, 1],
    [2, 32, 28, 1],
    [2, 32, 30, 1],
    [2, 32, 32, 1],
    [2, 64, 14, 1],
    [2, 128, 14, 1],
    [4, 16, 14, 1],
    [4, 32, 6, 1],
    [4, 32, 14, 1],
    [4, 32, 16, 1],
    [4, 64, 14, 1],
    [4, 64, 14, 2],
    [4, 128, 14, 1],
];

/// A shape, with the number of rows open or fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Profile {
    log_k: usize,
    log_c: usize,
    rows: Option<usize>,
    log_inv_rate: usize,
}

impl Profile {
    /// The profiles of the published tables, by growing k, c, n and T.
    pub fn known() -> impl Iterator<Item = Self> {
        KNOWN.into_iter().map(|[unit, c, rows, log_inv_rate]| Self {
            log_k: (unit << LOG_UNIT).ilog2() as usize,
            log_c: c.ilog2() as usize,
            rows: Some(rows),
            log_inv_rate,
        })
    }

    /// The profile for a payload of so many bytes when none is named; see [`DEFAULT_RULE`].
    pub fn default_for(payload_len: u64) -> Self {
        let shapes = || {
            let wanted = |p: &Self| p.log_k.checked_sub(p.log_c) == Some(DEFAULT_LOG_COLUMNS - 1);
            Self::known().filter(wanted).map(|p| Self { rows: None, log_inv_rate: 1, ..p })
        };
        let fits = |p: &Self| p.rows_for(payload_len) <= DEFAULT_ROWS;
        let largest = || shapes().max_by_key(|p| p.log_k);
        let smallest = shapes().filter(fits).min_by_key(|p| p.log_k);
        smallest.or_else(largest).unwrap_or(Self {
            log_k: LOG_UNIT,
            log_c: LOG_UNIT + 1 - DEFAULT_LOG_COLUMNS,
            rows: None,
            log_inv_rate: 1,
        })
    }

    /// log2 of the payload symbols in a row.
    pub const fn log_k(&self) -> usize {
        self.log_k
    }

    /// log2 of the symbols in a cell.
    pub const fn log_c(&self) -> usize {
        self.log_c
    }

    /// The rows, unless they follow from the payload.
    pub const fn rows(&self) -> Option<usize> {
        self.rows
    }

    /// The opening's log inverse rate T.
    pub const fn log_inv_rate(&self) -> usize {
        self.log_inv_rate
    }

    /// The profile that states the number of rows of `params`.
    pub const fn with_rows_of(self, params: &Params) -> Self {
        Self { rows: Some(params.rows()), ..self }
    }

    /// The profile of a block with these parameters.
    pub const fn of(params: &Params, log_inv_rate: usize) -> Self {
        let (log_k, log_c) = (params.log_k(), params.log_c());
        Self { log_k, log_c, rows: Some(params.rows()), log_inv_rate }
    }

    /// The parameters of a block that carries so many bytes.
    ///
    /// # Errors
    /// [`Error::Profile`] when the payload is empty, does not fit into the profile's rows, or
    /// needs more than this crate supports.
    pub fn params(&self, hash: HashWidth, payload_len: u64) -> Result<Params, Error> {
        let refuse = |why: String| Err(Error::Profile { name: self.to_string(), why });
        let new = |rows, len| Params::new(hash, self.log_k, self.log_c, rows, len);
        let needed = self.rows_for(payload_len);
        let row_bytes = self.row_bytes();
        match self.rows {
            Some(rows) if needed > rows as u64 => {
                let carried = row_bytes.saturating_mul(rows as u64);
                return refuse(format!(
                    "it carries {carried} bytes, the payload has {payload_len}"
                ));
            }
            None if needed > MAX_ROWS as u64 || new(needed as usize, 1).is_err() => {
                // Where not even one row is possible, the reason is not the payload.
                if let Some(most) = (1..=MAX_ROWS).rev().find(|&rows| new(rows, 1).is_ok()) {
                    let carried = row_bytes.saturating_mul(most as u64);
                    return refuse(format!(
                        "it carries at most {carried} bytes, the payload has {payload_len}"
                    ));
                }
            }
            _ => {}
        }
        match new(self.rows.unwrap_or(needed as usize), payload_len) {
            Err(Error::Params(why)) => refuse(why.to_owned()),
            other => other,
        }
    }

    /// Rows that so many bytes need, at least one.
    fn rows_for(&self, payload_len: u64) -> u64 {
        payload_len.div_ceil(self.row_bytes()).max(1)
    }

    const fn row_bytes(&self) -> u64 {
        (crate::params::SYMBOL_BYTES as u64) << self.log_k
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.log_k.checked_sub(LOG_UNIT) {
            Some(log_units) => write!(f, "b{}", 1u64 << log_units)?,
            None => write!(f, "k{}", 1u64 << self.log_k)?,
        }
        write!(f, "-c{}", 1u64 << self.log_c)?;
        if let Some(rows) = self.rows {
            write!(f, "-r{rows}")?;
        }
        write!(f, "-w{}", self.log_inv_rate)
    }
}

impl FromStr for Profile {
    type Err = Error;

    /// Reads a name. Numbers are decimal, without sign or leading zeros.
    fn from_str(name: &str) -> Result<Self, Error> {
        let refuse = |why: String| Error::Profile { name: name.to_owned(), why };
        let mut parts = name.split('-').peekable();
        let mut part = |letters: &'static str| -> Option<Result<(char, usize), Error>> {
            let part = parts.next_if(|part| part.starts_with(|first| letters.contains(first)))?;
            let mut rest = part.chars();
            let letter = rest.next()?;
            let digits = rest.as_str();
            let plain = !digits.is_empty()
                && digits.bytes().all(|b| b.is_ascii_digit())
                && (digits == "0" || !digits.starts_with('0'));
            Some(match digits.parse() {
                Ok(number) if plain => Ok((letter, number)),
                _ => Err(refuse(format!("{part:?} is not {letter} and a number"))),
            })
        };
        let form = "it is not of the form bX-cY-rZ-wT or kK-cY-rZ-wT (-rZ and -wT optional)";
        let missing = || refuse(form.to_owned());
        let power = |what: &str, number: usize| {
            if number.is_power_of_two() {
                Ok(number.ilog2() as usize)
            } else {
                Err(refuse(format!("{what} {number} is not a power of two")))
            }
        };

        let log_k = match part("bk").ok_or_else(missing)?? {
            ('b', units) => power("b", units)?.saturating_add(LOG_UNIT),
            (_, k) => power("k", k)?,
        };
        if log_k > MAX_LOG_K {
            return Err(refuse(format!(
                "rows longer than k = {} are not supported",
                1 << MAX_LOG_K
            )));
        }
        let (_, c) = part("c").ok_or_else(missing)??;
        let log_c = power("c", c)?;
        if log_c > log_k {
            return Err(refuse(format!(
                "cells of {c} symbols are longer than rows of {}",
                1u64 << log_k
            )));
        }
        let rows = part("r").transpose()?.map(|(_, rows)| rows);
        if rows.is_some_and(|rows| rows == 0 || rows > MAX_ROWS) {
            return Err(refuse(format!("the number of rows must be between 1 and {MAX_ROWS}")));
        }
        let log_inv_rate = part("w").transpose()?.map_or(1, |(_, rate)| rate);
        if log_inv_rate == 0 || log_inv_rate > MAX_LOG_INV_RATE {
            let why = format!("the log inverse rate must be between 1 and {MAX_LOG_INV_RATE}");
            return Err(refuse(why));
        }
        match parts.next() {
            None => Ok(Self { log_k, log_c, rows, log_inv_rate }),
            Some(_) => Err(missing()),
        }
    }
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn parse(name: &str) -> Profile {
        name.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn known_names_come_back() {
        let mut names: Vec<String> = Profile::known().map(|p| p.to_string()).collect();
        for (name, profile) in names.iter().zip(Profile::known()) {
            assert_eq!(parse(name), profile);
        }
        assert!(names.contains(&"b4-c64-r14-w2".to_owned()));
        names.dedup();
        assert_eq!(names.len(), KNOWN.len());
    }

    #[test]
    fn known_profiles_grow_and_fit() {
        assert!(KNOWN.is_sorted());
        for profile in Profile::known() {
            let params = profile.params(HashWidth::W16, 1).unwrap();
            assert_eq!(Profile::of(&params, profile.log_inv_rate()), profile);
        }
    }

    #[test]
    fn optional_parts_have_defaults() {
        assert_eq!(parse("b4-c64").to_string(), "b4-c64-w1");
        assert_eq!(parse("b4-c64-w2").to_string(), "b4-c64-w2");
        assert_eq!(parse("b2-c32-r5").to_string(), "b2-c32-r5-w1");
        assert_eq!(parse("k4096-c16-r3-w1").to_string(), "k4096-c16-r3-w1");
        assert_eq!(parse("k16384-c32").to_string(), "b2-c32-w1");
        assert_eq!(parse("k1-c1").log_k(), 0);
    }

    #[test]
    fn rows_follow_from_the_payload() {
        let row = 19 * 32768;
        let rows = |len| parse("b4-c64").params(HashWidth::W16, len).unwrap().rows();
        assert_eq!([rows(1), rows(row), rows(row + 1), rows(9_000_000)], [1, 1, 2, 15]);
        let fixed = parse("b4-c64-r14").params(HashWidth::W24, 1).unwrap();
        assert_eq!((fixed.rows(), fixed.columns(), fixed.payload_len()), (14, 1024, 1));
    }

    #[test]
    fn default_is_the_smallest_that_keeps_fourteen_rows() {
        let name = |len| {
            let profile = Profile::default_for(len);
            let params = profile.params(HashWidth::W16, len).unwrap();
            assert_eq!(params.columns(), 1024);
            profile.with_rows_of(&params).to_string()
        };
        let most = |units: u64| 14 * 19 * 8192 * units;
        assert_eq!(name(1), "b1-c16-r1-w1");
        assert_eq!(name(most(1)), "b1-c16-r14-w1");
        assert_eq!(name(most(1) + 1), "b2-c32-r8-w1");
        assert_eq!(name(3_000_000), "b2-c32-r10-w1");
        assert_eq!(name(most(2) + 1), "b4-c64-r8-w1");
        assert_eq!(name(most(4)), "b4-c64-r14-w1");
        assert_eq!(name(most(4) + 1), "b4-c64-r15-w1");
    }

    #[test]
    fn refuses_names_it_does_not_understand() {
        for (name, why) in [
            ("", "not of the form"),
            ("b4", "not of the form"),
            ("c64-b4", "not of the form"),
            ("b4-c64-w1-r14", "not of the form"),
            ("b4-c64-r14-w1-", "not of the form"),
            ("b4-c64-r14-w1-x", "not of the form"),
            ("b4-c64-c64", "not of the form"),
            ("b4 -c64", "\"b4 \" is not b and a number"),
            ("b-c64", "\"b\" is not b and a number"),
            ("b04-c64", "is not b and a number"),
            ("b+4-c64", "is not b and a number"),
            ("b4-c99999999999999999999999", "is not c and a number"),
            ("b3-c64", "b 3 is not a power of two"),
            ("b0-c64", "b 0 is not a power of two"),
            ("k4000-c16", "k 4000 is not a power of two"),
            ("b4-c63", "c 63 is not a power of two"),
            ("b256-c64", "rows longer than"),
            ("k16-c32", "longer than rows of 16"),
            ("b4-c64-r0", "between 1 and 4096"),
            ("b4-c64-r4097", "between 1 and 4096"),
            ("b4-c64-w0", "between 1 and 8"),
            ("b4-c64-w9", "between 1 and 8"),
        ] {
            let error = name.parse::<Profile>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("profile {name}: ")), "{error}");
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn refuses_payloads_that_do_not_fit() {
        let refusal =
            |name: &str, len| parse(name).params(HashWidth::W16, len).unwrap_err().to_string();
        let row = 19 * 8192;
        assert_eq!(
            refusal("b1-c16-r2", 2 * row + 1),
            format!(
                "profile b1-c16-r2-w1: it carries {} bytes, the payload has {}",
                2 * row,
                2 * row + 1
            )
        );
        assert!(refusal("b1-c16", u64::MAX).contains("it carries at most"));
        assert!(refusal("b1-c16", 0).contains("the payload is empty"));
        assert!(refusal("b32-c64-r32", 1).contains("more than 2^25 words"));
        // The matrix has but 10 M words; the digests have four times as many.
        assert!(refusal("k262144-c1-r4", 1).contains("more than 2^25 words"));
        // The matrix alone could have twice as many rows.
        let most = 50 * 19 * 32768;
        assert!(parse("b4-c64").params(HashWidth::W16, most).is_ok());
        assert!(refusal("b4-c64", most + 1).contains(&format!("at most {most} bytes")));
    }
}
