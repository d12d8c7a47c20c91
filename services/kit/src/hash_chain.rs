//! Hash chains over what a service keeps, so that a change behind its back is found.
//!
//! What is sealed gets the next number, from 1 without a hole, and
//! `hash = SHA-256(hash before ‖ text)`: the hash before the first one is 32 zero bytes, and the
//! text is the canonical one of what has the number. Each user of this module says what that is.

use sha2::{Digest as _, Sha256};

/// A SHA-256.
pub type Hash = [u8; 32];

/// A place in a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Counts from 1.
    pub seq: i64,
    /// Covers what stands here and everything before it.
    pub hash: Hash,
}

impl Place {
    /// Before the first one.
    pub const START: Self = Self {
        seq: 0,
        hash: [0; 32],
    };

    /// The place behind it, of what has this text under the number of that place.
    #[must_use]
    pub fn next(self, text: impl FnOnce(i64) -> String) -> Self {
        let seq = self.seq.saturating_add(1);
        Self {
            seq,
            hash: self.hash_of_next(&text(seq)),
        }
    }

    fn hash_of_next(self, text: &str) -> Hash {
        let mut hash = Sha256::new();
        hash.update(self.hash);
        hash.update(text);
        hash.finalize().into()
    }
}

/// A place as it was stored, and what is kept for it now.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The place.
    pub place: Place,
    /// The canonical text of what is kept, or what is wrong with it.
    pub text: Result<String, &'static str>,
    /// How many things have the number.
    pub items: u64,
}

/// What a verification found.
#[derive(Clone, Debug, Default)]
pub struct Verification {
    /// Things whose place holds.
    pub items: u64,
    /// The last place that holds.
    pub head: Option<Place>,
    /// The first number that does not fit, and what is wrong there.
    pub broken: Option<(i64, &'static str)>,
}

const MISSING: &str = "seal is missing";

/// Recomputes a chain behind the number `after` up to and with `last`; what lies before is taken as
/// it is stored. `page` reads the next places behind a number up to another one, in their order.
pub async fn verify<E, F>(
    after: i64,
    last: i64,
    page: impl Fn(i64, i64) -> F,
) -> Result<Verification, E>
where
    F: Future<Output = Result<Vec<Stored>, E>>,
{
    let mut found = Verification::default();
    let mut place = Place::START;
    if after > 0 {
        let before = page(after.saturating_sub(1), after).await?;
        let Some(before) = before.first() else {
            found.broken = Some((after, MISSING));
            return Ok(found);
        };
        place = before.place;
    }
    while place.seq < last {
        let stored = page(place.seq, last).await?;
        if stored.is_empty() {
            found.broken = Some((place.seq.saturating_add(1), MISSING));
            break;
        }
        for Stored {
            place: kept,
            text,
            items,
        } in stored
        {
            let seq = place.seq.saturating_add(1);
            let fault = match &text {
                _ if kept.seq != seq => Some(MISSING),
                Err(fault) => Some(*fault),
                Ok(text) => (place.hash_of_next(text) != kept.hash).then_some("hash does not fit"),
            };
            if fault.is_some() {
                found.broken = fault.map(|fault| (seq, fault));
                return Ok(found);
            }
            found.items = found.items.saturating_add(items);
            found.head = Some(kept);
            place = kept;
        }
    }
    Ok(found)
}
