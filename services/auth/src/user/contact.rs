//! Which members of staff see contact data in full. The only place that decides it.
//!
//! | role | e-mail, phone | addresses and devices of sessions | users are found by |
//! |---|---|---|---|
//! | admin, support | in full, audited | in full, audited | name, e-mail, id |
//! | finance, operator | masked | left out | name, id |
//!
//! adfolioctl acts as an admin. Who sees an address masked does not search by it either: each search for a part of it
//! would unmask a little more.

use adfolio_kit::identity::StaffRole;
use adfolio_kit::mask;

use super::entity::User;
use crate::session::{Client, Listed};

/// Characters of a phone number that a mask leaves at either end.
const SHOWN: usize = 3;

/// Of a number with fewer hidden characters only the last two are shown.
const FEWEST_HIDDEN: usize = 6;

/// What somebody sees of contact data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    Full,
    Masked,
}

impl View {
    /// Of a member of staff. Support talks with users; nobody else needs to reach them.
    pub fn of(role: StaffRole) -> Self {
        match role {
            StaffRole::Admin | StaffRole::Support => Self::Full,
            StaffRole::Finance | StaffRole::Operator => Self::Masked,
        }
    }

    /// A user as seen so.
    pub fn user(self, user: User) -> User {
        match self {
            Self::Full => user,
            Self::Masked => User {
                email: email(&user.email),
                phone: phone(&user.phone),
                ..user
            },
        }
    }

    /// A session as seen so.
    pub fn session(self, listed: Listed) -> Listed {
        match self {
            Self::Full => listed,
            Self::Masked => Listed {
                client: Client::default(),
                ..listed
            },
        }
    }
}

/// A text that may be an e-mail address or the end of one: the first character of the local part, and the domain.
pub fn email(text: &str) -> String {
    match text.rsplit_once('@') {
        None => text.to_owned(),
        Some((local, domain)) => {
            let first = usize::from(local.chars().count() > 2);
            format!("{}@{domain}", mask::ends(local, first, 0))
        }
    }
}

/// A phone number by its ends, without the signs between the digits. None stays none.
fn phone(text: &str) -> String {
    let number: String = text
        .chars()
        .filter(|character| character.is_ascii_digit() || *character == '+')
        .collect();
    if number.is_empty() {
        String::new()
    } else if number.len() < SHOWN + FEWEST_HIDDEN + SHOWN {
        mask::ends(&number, 0, 2)
    } else {
        mask::ends(&number, SHOWN, SHOWN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn support_and_admins_reach_users() {
        for (role, view) in [
            (StaffRole::Admin, View::Full),
            (StaffRole::Support, View::Full),
            (StaffRole::Finance, View::Masked),
            (StaffRole::Operator, View::Masked),
        ] {
            assert_eq!(View::of(role), view, "{role}");
        }
    }

    #[test]
    fn addresses_keep_a_letter_and_the_domain() {
        for (text, masked) in [
            ("ann.lee@example.com", "a****@example.com"),
            ("al@example.com", "****@example.com"),
            ("a@example.com", "****@example.com"),
            ("@example.com", "****@example.com"),
            ("ärzte@example.com", "ä****@example.com"),
            ("", ""),
        ] {
            assert_eq!(email(text), masked);
        }
    }

    #[test]
    fn numbers_keep_their_ends_if_enough_is_hidden() {
        for (text, masked) in [
            ("+4915112345678", "+49****678"),
            ("+49 30 123-4567", "+49****567"),
            ("13800138000", "****00"),
            ("12345", "****45"),
            ("", ""),
        ] {
            assert_eq!(phone(text), masked);
        }
    }
}
