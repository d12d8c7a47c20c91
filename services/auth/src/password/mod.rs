//! Login passwords: argon2id (19 MiB, 2 passes, 1 lane), through kit's bounded queue.

mod common;
mod rules;

use adfolio_kit::password::{HashError, HashQueue, Ticket, phc, random_output, random_salt};
use adfolio_kit::refusal::{Reason, Refusal};
use argon2::Params;
use argon2::password_hash::phc::PasswordHash;
use secrecy::{ExposeSecret, SecretString};

pub use rules::{NewPassword, names_of, prepared};

/// Counts evaluations, for dashboards and for the proof that a refused login cost none.
const EVALUATIONS: &str = "auth_password_evaluations_total";

/// Letters and digits that nobody confuses when they are read aloud or typed off paper.
const ALPHABET: &[u8] = b"abcdefghjkmnpqrstuvwxyz23456789";

/// Characters of a random password: 99 bits.
const RANDOM_LENGTH: usize = 20;

/// Login passwords are hashed without one.
const NO_PEPPER: &[u8] = &[];

/// Hashes and verifies passwords. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Passwords {
    queue: HashQueue,
    /// Verified in place of an absent hash, so that an unknown user costs what a known one does.
    decoy: PasswordHash,
}

impl Passwords {
    /// For `places` evaluations at once, running or waiting.
    pub fn new(places: usize) -> Result<Self, HashError> {
        common::prepare();
        Ok(Self {
            queue: HashQueue::new(places, EVALUATIONS),
            decoy: phc(random_salt()?, random_output()?, &Params::DEFAULT)?,
        })
    }

    /// Takes a place in the queue, or TOO_MANY_ATTEMPTS.
    pub fn enter(&self) -> Result<Ticket, Refusal> {
        self.queue.enter()
    }

    /// Whether the password belongs to the stored hash. Without a hash the answer is no, after the same work.
    ///
    /// A new password is hashed in the form of PRECIS, one from before as it was typed, and a hash does not say which it
    /// is. So the text is tried as typed and then in its form, if that is another; for nearly every password it is not.
    /// The work depends on the text alone, so it says nothing about the account.
    pub async fn verify(
        &self,
        ticket: Ticket,
        password: SecretString,
        stored: Option<String>,
    ) -> Result<bool, HashError> {
        let known = stored.as_deref().map(PasswordHash::new).transpose()?;
        let exists = known.is_some();
        let expected = known.unwrap_or_else(|| self.decoy.clone());
        ticket
            .evaluate(move |memory| {
                let (Some(salt), Some(hash)) = (expected.salt, expected.hash) else {
                    return Ok(false);
                };
                let params = Params::try_from(&expected)?;
                let mut is_right = |password: &SecretString| {
                    let password = password.expose_secret().as_bytes();
                    let output = memory.derive(password, NO_PEPPER, &salt, &params)?;
                    // Outputs compare in constant time.
                    Ok::<_, HashError>((output == hash) & exists)
                };
                if is_right(&password)? {
                    return Ok(true);
                }
                let typed = password.expose_secret();
                match prepared(typed).filter(|form| form.expose_secret() != typed) {
                    Some(form) => is_right(&form),
                    None => Ok(false),
                }
            })
            .await
    }
}

/// Hashes a new password to the text that is stored.
pub async fn hash(ticket: Ticket, password: NewPassword) -> Result<String, HashError> {
    ticket
        .evaluate(move |memory| {
            let (salt, params) = (random_salt()?, Params::DEFAULT);
            let password = password.secret().expose_secret().as_bytes();
            let output = memory.derive(password, NO_PEPPER, &salt, &params)?;
            Ok(phc(salt, output, &params)?.to_string())
        })
        .await
}

/// The password that replaces `old`, of somebody with these names, or PASSWORD_UNCHANGED or VALIDATION of
/// `new_password`. Only a caller who knows the old one may get the refusal.
pub fn replacement(
    old: &SecretString,
    new: &SecretString,
    names: &[&str],
) -> Result<NewPassword, Refusal> {
    let unchanged = || Refusal::new(Reason::PasswordUnchanged).field("new_password");
    let old = old.expose_secret();
    if new.expose_secret() == old {
        return Err(unchanged());
    }
    let new =
        NewPassword::parse(new, names).map_err(|rule| Refusal::broken(rule, "new_password"))?;
    let form = prepared(old);
    let same = form.is_some_and(|old| old.expose_secret() == new.secret().expose_secret());
    if same { Err(unchanged()) } else { Ok(new) }
}

/// A random password, to be read to its owner.
pub fn random() -> SecretString {
    let letters = (0..RANDOM_LENGTH).filter_map(|_| {
        let letter = ALPHABET.get(rand::random_range(0..ALPHABET.len()));
        letter.copied().map(char::from)
    });
    letters.collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use argon2::password_hash::phc::{Output, Salt};
    use argon2::{Algorithm, Argon2, Version};

    use super::*;

    fn new(password: &str) -> NewPassword {
        NewPassword::parse(&password.into(), &[]).expect("acceptable")
    }

    /// A hash as it was made before, and one of a new password.
    #[tokio::test]
    async fn a_password_is_right_however_it_is_typed() {
        let passwords = Passwords::new(1).expect("passwords");
        let (composed, decomposed) = ("Zo\u{eb} am See", "Zoe\u{308} am\u{a0}See");
        let before = NewPassword::as_typed(decomposed);
        for (hashed, typed, expected) in [
            (new(decomposed), composed, true),
            (new(decomposed), decomposed, true),
            (before.clone(), decomposed, true),
            (before, composed, false),
            (
                NewPassword::as_typed("bell\u{7} is allowed"),
                "bell\u{7} is allowed",
                true,
            ),
        ] {
            let stored = hash(passwords.enter().expect("place"), hashed).await;
            let stored = Some(stored.expect("hash"));
            let place = passwords.enter().expect("place");
            let right = passwords.verify(place, typed.into(), stored).await;
            assert_eq!(right.expect("verify"), expected, "{typed:?}");
        }
    }

    #[tokio::test]
    async fn verifies_what_it_hashed_and_nothing_else() {
        let passwords = Passwords::new(4).expect("passwords");
        let place = passwords.enter().expect("place");
        let stored = hash(place, new("correct horse")).await.expect("hash");
        assert!(
            stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{stored}"
        );
        for (password, stored, expected) in [
            ("correct horse", Some(stored.clone()), true),
            ("correct Horse", Some(stored.clone()), false),
            ("correct horse", None, false),
        ] {
            let place = passwords.enter().expect("place");
            let verified = passwords.verify(place, password.into(), stored).await;
            assert_eq!(verified.expect("verify"), expected);
        }
    }

    /// Accounts have such hashes; kit's queue always passes a pepper, if an empty one.
    #[tokio::test]
    async fn verifies_hashes_made_without_a_pepper() {
        let (salt, mut bytes) = ([7; 16], [0; 32]);
        Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::DEFAULT)
            .hash_password_into(b"correct horse", &salt, &mut bytes)
            .expect("hash");
        let salt = Salt::new(&salt).expect("salt");
        let output = Output::new(&bytes).expect("output");
        let stored = phc(salt, output, &Params::DEFAULT)
            .expect("phc")
            .to_string();
        let passwords = Passwords::new(1).expect("passwords");
        let place = passwords.enter().expect("place");
        let verified = passwords.verify(place, "correct horse".into(), Some(stored));
        assert!(verified.await.expect("verify"));
    }

    #[tokio::test]
    async fn a_full_queue_refuses() {
        let passwords = Passwords::new(1).expect("passwords");
        let first = passwords.enter().expect("place");
        let refusal = passwords.enter().expect_err("full");
        assert_eq!(refusal.reason, Reason::TooManyAttempts);
        assert!(refusal.retry_after.is_some());
        drop(first);
        assert!(passwords.enter().is_ok());
    }
}
