//! The result of `airda run`: one table or one JSON object.

use airda_gkr::permutation::Digest;
use p3_field::PrimeField32;
use serde::Serialize;

use super::memory;
use super::output::{Table, seconds, size};

/// Bytes a second at 50 Mbit/s, the network that full-DAS throughput is stated for.
const BANDWIDTH: f64 = 50e6 / 8.0;

/// Everything measured by a run. The names are those of the JSON object; times are in seconds.
#[derive(Debug, Default, Serialize)]
pub(super) struct Report {
    pub(super) payload_bytes: u64,
    pub(super) profile: String,
    pub(super) hash: &'static str,
    pub(super) proof_system: &'static str,
    /// How the proof shows membership; in the table only.
    #[serde(skip)]
    pub(super) membership: &'static str,
    /// Poseidon2 calls proved; none if the proof was refused.
    pub(super) calls: Option<usize>,
    pub(super) t_encode_commit_s: f64,
    /// Membership, apart from proving: nothing, proving includes it.
    pub(super) t_membership_s: f64,
    /// An air proof's with the preparation of its tables, which a process makes once a shape.
    pub(super) t_prove_s: f64,
    pub(super) t_open_s: f64,
    /// Membership, apart from verifying: nothing, verifying includes it.
    pub(super) t_rebuild_s: f64,
    /// By a verifier that has the tables of an air proof from before: the prover's.
    pub(super) t_verify_proof_s: f64,
    pub(super) t_verify_openings_s: f64,
    pub(super) t_recover_s: f64,
    pub(super) commitment_bytes: u64,
    pub(super) proof_bytes: u64,
    pub(super) codeword_bytes: u64,
    pub(super) sample_bytes: u64,
    pub(super) columns_sampled: usize,
    pub(super) prove_kib_per_s: f64,
    pub(super) full_das_kib_per_s: f64,
    pub(super) security_bits: Option<f64>,
    pub(super) proof_security_bits: Option<f64>,
    /// None where the system does not tell.
    pub(super) peak_memory_bytes: Option<u64>,
    pub(super) accepted: bool,
    pub(super) recovered: bool,
}

impl Report {
    /// T_builder: encode and commit, preprocess, prove, open, send codeword, commitment, proof.
    fn builder(&self) -> f64 {
        let sent = self.codeword_bytes + self.commitment_bytes + self.proof_bytes;
        let work = self.t_encode_commit_s + self.t_membership_s + self.t_prove_s + self.t_open_s;
        work + sent as f64 / BANDWIDTH
    }

    /// T_verifier: rebuild, verify proof and openings, receive commitment, proof, samples.
    fn verifier(&self) -> f64 {
        let received = self.commitment_bytes + self.proof_bytes + self.sample_bytes;
        let work = self.t_rebuild_s + self.t_verify_proof_s + self.t_verify_openings_s;
        work + received as f64 / BANDWIDTH
    }

    /// Fills in what follows from the measurements.
    pub(super) fn derive(&mut self) {
        let kib = self.payload_bytes as f64 / 1024.0;
        self.prove_kib_per_s = kib / self.t_prove_s;
        self.full_das_kib_per_s = kib / (self.builder() + self.verifier());
        self.peak_memory_bytes = memory::peak();
    }

    /// The table.
    pub(super) fn table(&self) -> String {
        let bits =
            |bits: Option<f64>| bits.map_or("none".to_owned(), |bits| format!("{bits:.2} bits"));
        let memory = self.peak_memory_bytes.map_or("not known on this system".to_owned(), size);
        let calls = self.calls.map_or("none".to_owned(), |calls| calls.to_string());
        let yes = |what: bool| if what { "yes" } else { "NO" };
        let [preparing, prepared] = match self.proof_system {
            "air" => [", tables prepared in it", "by a verifier with the tables prepared"],
            _ => [""; 2],
        };
        let mut table = Table::default();
        table
            .row(["payload", &size(self.payload_bytes)])
            .row(["profile", &self.profile, self.hash])
            .row(["calls proved", &calls, self.proof_system])
            .row([""])
            .row(["encode + commit", &seconds(self.t_encode_commit_s)])
            .row([
                "prove",
                &seconds(self.t_prove_s),
                &format!(
                    "{:.1} KiB/s of payload, membership by {}{preparing}",
                    self.prove_kib_per_s, self.membership
                ),
            ])
            .row(["open samples", &seconds(self.t_open_s)])
            .row(["verify proof", &seconds(self.t_verify_proof_s), prepared])
            .row(["verify openings", &seconds(self.t_verify_openings_s)])
            .row([
                "recover",
                &seconds(self.t_recover_s),
                "from the bytes of half the columns, checks included",
            ])
            .row([""])
            .row(["commitment", &size(self.commitment_bytes)])
            .row(["proof", &size(self.proof_bytes)])
            .row(["codeword", &size(self.codeword_bytes)])
            .row([
                "samples",
                &size(self.sample_bytes),
                &format!("{} columns", self.columns_sampled),
            ])
            .row(["peak memory", &memory])
            .row([""])
            .row([
                "builder, 50 Mbit/s",
                &seconds(self.builder()),
                "work and sending codeword, commitment, proof",
            ])
            .row([
                "verifier, 50 Mbit/s",
                &seconds(self.verifier()),
                "work and receiving commitment, proof, samples",
            ])
            .row([
                "full DAS",
                &format!("{:.1} KiB/s", self.full_das_kib_per_s),
                "payload over both",
            ])
            .row([""])
            .row(["proof security", &bits(self.proof_security_bits)])
            .row(["security", &bits(self.security_bits), "the minimum over proof and commitment"])
            .row(["accepted", yes(self.accepted)])
            .row(["recovered", yes(self.recovered), "bit for bit"]);
        table.render(2)
    }
}

/// A digest's bytes as in the files, in hexadecimal.
pub(super) fn hex(digest: &Digest) -> String {
    let bytes = digest.iter().flat_map(|word| word.as_canonical_u32().to_le_bytes());
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published row of b2-c32-r14-w1 on the i9-14900, by the same definitions.
    #[test]
    fn throughputs_are_defined_as_published() {
        let mut report = Report {
            payload_bytes: 4340 << 10,
            t_encode_commit_s: 0.495,
            t_membership_s: 0.076,
            t_prove_s: 4.808,
            t_rebuild_s: 0.081,
            t_verify_proof_s: 0.040,
            t_verify_openings_s: 0.009,
            proof_bytes: 367_910,
            codeword_bytes: 20 * 14 * 32_768,
            sample_bytes: 172_860,
            ..Report::default()
        };
        report.derive();
        assert!((report.prove_kib_per_s - 902.66).abs() < 0.2, "{}", report.prove_kib_per_s);
        assert!((report.full_das_kib_per_s - 609.05).abs() < 2.0, "{}", report.full_das_kib_per_s);
    }
}
