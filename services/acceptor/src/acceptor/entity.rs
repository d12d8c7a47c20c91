//! Persons and enterprises that exchange money.

use adfolio_kit::refusal::Refusal;
use adfolio_kit::{column, names};

use crate::ids::AcceptorId;

/// The best rating, in tenths.
const BEST_RATING_TENTHS: u32 = 50;

names! {
    /// Kind of an acceptor.
    Kind {
        /// A person.
        Personal,
        /// An enterprise.
        Enterprise,
    }
}

/// A rating in tenths, 0 to 50.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rating(i16);

column!(Rating: i16, |tenths| Ok(Rating(tenths)));

impl Rating {
    /// A rating as it was sent.
    pub fn from_tenths(tenths: u32) -> Result<Self, Refusal> {
        match i16::try_from(tenths) {
            Ok(rating) if tenths <= BEST_RATING_TENTHS => Ok(Self(rating)),
            _ => Err(Refusal::invalid("rating")),
        }
    }

    /// The column.
    pub fn column(self) -> i16 {
        self.0
    }

    /// In tenths.
    pub fn tenths(self) -> u32 {
        u32::from(self.0.unsigned_abs())
    }
}

/// An acceptor that staff ask for.
#[derive(Clone, Debug)]
pub struct NewAcceptor {
    pub kind: Kind,
    pub name: String,
    pub rating: Rating,
}

impl NewAcceptor {
    /// The acceptor, with its id.
    pub fn made(self, id: AcceptorId) -> Acceptor {
        Acceptor {
            id,
            kind: self.kind,
            name: self.name,
            rating: self.rating,
            completed_orders: 0,
        }
    }
}

/// An acceptor.
#[derive(Clone, Debug)]
pub struct Acceptor {
    pub id: AcceptorId,
    pub kind: Kind,
    pub name: String,
    pub rating: Rating,
    pub completed_orders: i64,
}
