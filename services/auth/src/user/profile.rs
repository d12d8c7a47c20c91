//! Changes of a profile: by the user, by staff, and by a paid membership.

use adfolio_kit::audit;
use adfolio_kit::db::{self, Tx};
use adfolio_kit::identity::{Caller, Staff, UserId};
use adfolio_kit::refusal::{Reason, Refusal};
use serde_json::json;
use tracing::info;

use super::email::end_code_in_tx;
use super::entity::{User, is_language};
use super::registration::{is_email, is_phone};
use super::repo;
use crate::app::App;
use crate::audit::{Look, record_look_in_tx};
use crate::error::AuthError;
use crate::events::{self, ContactChange};
use crate::ids::FormerEmailId;
use crate::nickname;

/// Longest nickname that one may take.
const LONGEST_NICKNAME: usize = 50;

/// Longest id of an uploaded file; also the column's.
const LONGEST_FILE_ID: usize = 100;

const HIGHEST_CREDIT_SCORE: i32 = 1000;
const HIGHEST_SHOP_LEVEL: i32 = 100;

/// A user's change of the own profile; absent fields stay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProfileChange {
    pub nickname: Option<String>,
    pub email: Option<String>,
    pub phone: Option<String>,
    /// Uploaded file; empty removes the avatar.
    pub avatar_file_id: Option<String>,
    pub lang: Option<String>,
}

impl ProfileChange {
    /// Checks the given fields, in the order of the form.
    pub fn parse(self) -> Result<Self, Refusal> {
        if self == Self::default() {
            return Err(Refusal::new(Reason::Validation).detail("nothing to change was given"));
        }
        let nickname = self
            .nickname
            .map(|text| nickname::parse(&text, LONGEST_NICKNAME));
        Ok(Self {
            nickname: nickname.transpose()?,
            email: checked(self.email, "email", is_email)?,
            phone: checked(self.phone, "phone", is_phone)?,
            avatar_file_id: checked(self.avatar_file_id, "avatar_file_id", is_file_id)?,
            lang: checked(self.lang, "lang", is_language)?,
        })
    }

    fn apply(self, user: &mut User) {
        let set = |field: &mut String, given: Option<String>| {
            if let Some(given) = given {
                *field = given;
            }
        };
        set(&mut user.nickname, self.nickname);
        user.email_confirmed &= self.email.as_ref().is_none_or(|given| *given == user.email);
        set(&mut user.email, self.email);
        set(&mut user.phone, self.phone);
        set(&mut user.avatar_file_id, self.avatar_file_id);
        set(&mut user.lang, self.lang);
    }
}

fn checked(
    given: Option<String>,
    field: &'static str,
    fits: fn(&str) -> bool,
) -> Result<Option<String>, Refusal> {
    let given = given.map(|text| text.trim().to_owned());
    match given {
        Some(text) if !fits(&text) => Err(Refusal::invalid(field)),
        given => Ok(given),
    }
}

/// Whether a text can be an uploaded file's id; the gateway knows whether it is one, and whose. An empty one is no
/// file.
fn is_file_id(text: &str) -> bool {
    text.len() <= LONGEST_FILE_ID
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

/// Changes the given fields of the caller's own profile, or NOTHING_CHANGED. Mail and calls about the account go to its
/// e-mail address and phone number, so a change of them needs a fresh session: STEP_UP_REQUIRED. It is announced, and the
/// former address is mailed, too. The new address is not confirmed, and no code for the former one confirms it.
pub async fn edit(app: &App, caller: &Caller, change: ProfileChange) -> Result<User, AuthError> {
    let id = caller.require_user()?;
    let change = change.parse()?;
    let now = app.clock.now();
    let fresh = caller.require_fresh(now);
    let former = FormerEmailId(app.ids.next());
    app.write(move |tx| {
        Box::pin(async move {
            let known = repo::lock_in_tx(tx, id)
                .await?
                .ok_or(AuthError::NotAuthenticated)?;
            known.require_active()?;
            let mut user = known.clone();
            change.apply(&mut user);
            if user == known {
                return Err(Refusal::new(Reason::NothingChanged).into());
            }
            let (email, phone) = (user.email != known.email, user.phone != known.phone);
            if email || phone {
                fresh?;
                let former = (email && !known.email.is_empty()).then_some(former);
                if let Some(id) = former {
                    repo::insert_former_email_in_tx(tx, id, &known, now).await?;
                }
                if email {
                    end_code_in_tx(tx, id).await?;
                }
                let user = user.id;
                let change = ContactChange {
                    user,
                    email,
                    phone,
                    former,
                };
                events::contact_changed_in_tx(tx, change).await?;
            }
            repo::save_profile_in_tx(tx, &user).await?;
            Ok(user)
        })
    })
    .await
}

/// Staff's change of a user's standing; absent fields stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StandingChange {
    pub credit_score: Option<i32>,
    pub shop_level: Option<i32>,
    pub vip: Option<bool>,
}

impl StandingChange {
    /// Checks the given fields.
    pub fn parse(self) -> Result<Self, Refusal> {
        let out_of = |given: Option<i32>, least, most| {
            given.is_some_and(|value| !(least..=most).contains(&value))
        };
        if out_of(self.credit_score, 0, HIGHEST_CREDIT_SCORE) {
            return Err(Refusal::invalid("credit_score"));
        }
        if out_of(self.shop_level, 1, HIGHEST_SHOP_LEVEL) {
            return Err(Refusal::invalid("shop_level"));
        }
        if self == Self::default() {
            return Err(Refusal::new(Reason::Validation).detail("nothing to change was given"));
        }
        Ok(self)
    }

    fn apply(self, user: &mut User) {
        user.credit_score = self.credit_score.unwrap_or(user.credit_score);
        user.shop_level = self.shop_level.unwrap_or(user.shop_level);
        user.vip = self.vip.unwrap_or(user.vip);
    }
}

/// Changes the given fields of a user's standing, for a reason that the audit log keeps. Where all are set already it is
/// only a look at the user.
pub async fn set_standing(
    app: &App,
    caller: Caller,
    staff: Staff,
    id: UserId,
    change: StandingChange,
) -> Result<User, AuthError> {
    let change = change.parse()?;
    let now = app.clock.now();
    app.write(move |tx| {
        Box::pin(async move {
            let known = repo::lock_in_tx(tx, id)
                .await?
                .ok_or(AuthError::UserUnknown("id"))?;
            let mut user = known.clone();
            change.apply(&mut user);
            if user == known {
                let actor = audit::Actor::calling(staff, &caller);
                record_look_in_tx(tx, actor, Look::at_user(id), now).await?;
                return Ok(user);
            }
            if caller.reason.trim().is_empty() {
                return Err(Refusal::invalid("reason").into());
            }
            repo::save_standing_in_tx(tx, &user).await?;
            audit::Entry::new("auth.set_user_profile", id)
                .user(id)
                .before(&standing(&known))?
                .after(&standing(&user))?
                .record_in_tx(tx, &caller, now)
                .await?;
            info!(%id, "user's standing changed");
            Ok(user)
        })
    })
    .await
}

fn standing(user: &User) -> serde_json::Value {
    json!({
        "credit_score": user.credit_score,
        "shop_level": user.shop_level,
        "vip": user.vip,
    })
}

/// Makes a user a member; one who is stays one.
pub async fn grant_membership(app: &App, id: UserId) -> Result<(), AuthError> {
    db::write(&app.pool, move |tx| {
        Box::pin(grant_membership_in_tx(tx, id))
    })
    .await
}

/// Makes a user a member, or NOT_FOUND.
pub async fn grant_membership_in_tx(tx: &mut Tx, id: UserId) -> Result<(), AuthError> {
    if repo::make_member_in_tx(tx, id).await? {
        Ok(())
    } else {
        Err(AuthError::UserUnknown("user_id"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: ProfileChange) -> Refusal {
        change.parse().expect_err("refused")
    }

    #[test]
    fn each_given_field_is_checked_and_named() {
        type Give = fn(&mut ProfileChange, String);
        let fields: [(&str, Give, &[&str]); 5] = [
            (
                "nickname",
                |change, text| change.nickname = Some(text),
                &[
                    "",
                    "  ",
                    "a\u{7}b",
                    "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijk",
                ],
            ),
            (
                "email",
                |change, text| change.email = Some(text),
                &["", "ann@shop"],
            ),
            (
                "phone",
                |change, text| change.phone = Some(text),
                &["", "call me"],
            ),
            (
                "avatar_file_id",
                |change, text| change.avatar_file_id = Some(text),
                &["../etc", "a b"],
            ),
            (
                "lang",
                |change, text| change.lang = Some(text),
                &["", "EN", "klingon"],
            ),
        ];
        for (field, give, wrong) in fields {
            for text in wrong {
                let mut change = ProfileChange::default();
                give(&mut change, (*text).to_owned());
                let refusal = refused(change);
                assert_eq!(refusal.reason, Reason::Validation, "{text:?}");
                assert_eq!(refusal.field.as_deref(), Some(field), "{text:?}");
            }
        }
        let refusal = refused(ProfileChange::default());
        assert_eq!(refusal.reason, Reason::Validation);
        assert_eq!(refusal.field, None);
    }

    #[test]
    fn standing_has_bounds() {
        let none = StandingChange::default();
        for (change, field) in [
            (
                StandingChange {
                    credit_score: Some(-1),
                    ..none
                },
                Some("credit_score"),
            ),
            (
                StandingChange {
                    credit_score: Some(1001),
                    ..none
                },
                Some("credit_score"),
            ),
            (
                StandingChange {
                    shop_level: Some(0),
                    ..none
                },
                Some("shop_level"),
            ),
            (
                StandingChange {
                    shop_level: Some(101),
                    ..none
                },
                Some("shop_level"),
            ),
            (none, None),
        ] {
            let refusal = change.parse().expect_err("refused");
            assert_eq!(refusal.field.as_deref(), field);
        }
        assert!(
            StandingChange {
                vip: Some(false),
                ..none
            }
            .parse()
            .is_ok()
        );
    }
}
