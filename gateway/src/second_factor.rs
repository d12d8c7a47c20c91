//! What each staff call asks of the second factor.
//!
//! | demand | calls |
//! |---|---|
//! | nothing | those that show it or say that it is missing, and logging out |
//! | shown within the last 15 minutes, where one is active | those that set one up |
//! | shown in the session | every GET, and the POSTs that are named here |
//! | shown within the last 15 minutes | every other POST: what moves money, bounds it, or changes people |
//!
//! A new POST asks for a fresh one until it is named here. A member without a second factor meets no demand where auth
//! requires one; where it does not, nothing is asked of such a member.

use adfolio_kit::refusal::Reason;
use axum::http::Method;
use chrono::{DateTime, Utc};

use crate::auth::StaffSession;
use crate::errors::Failure;

/// Calls that a session without the second factor may make.
const WITHOUT: &[&str] = &[
    "staffLogout",
    "confirmSecondFactor",
    "startPasskeyConfirmation",
    "confirmWithPasskey",
    // It says whether the session lacks the second factor.
    "getStaffMe",
];

/// Calls that set one up. A session that lacks one may make them, and a stolen one adds nothing to those that are there.
const SETS_UP: &[&str] = &[
    "enrollSecondFactor",
    "registerPasskey",
    "startPasskeyRegistration",
];

/// POSTs that neither move money, nor bound it, nor change people.
const SHOWN: &[&str] = &[
    // Claims warn and change nothing of the business.
    "claimItem",
    "closeFeedback",
    "createAcceptor",
    "createLicenses",
    "createNotification",
    "createOperator",
    "editAnnouncement",
    // It only takes away: nobody should look for a phone first.
    "endStaffSessions",
    "getAnyPlan",
    "getUserDetail",
    "pushPlan",
    "releaseClaim",
    "restoreContent",
    "setContent",
    "withdrawAnnouncement",
];

/// What a staff call asks of the second factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// Nothing.
    Nothing,
    /// That it was shown within the last 15 minutes, if there is one.
    FreshIfActive,
    /// That it was shown in the session.
    Shown,
    /// That it was shown within the last 15 minutes.
    Fresh,
}

impl Demand {
    /// Of a staff operation.
    pub fn of(method: &Method, operation: &str) -> Self {
        if WITHOUT.contains(&operation) {
            Self::Nothing
        } else if SETS_UP.contains(&operation) {
            Self::FreshIfActive
        } else if *method == Method::GET || SHOWN.contains(&operation) {
            Self::Shown
        } else {
            Self::Fresh
        }
    }

    /// SECOND_FACTOR_REQUIRED unless the session meets it.
    pub fn check(self, session: &StaffSession, now: DateTime<Utc>) -> Result<(), Failure> {
        let is_met = match self {
            Self::Nothing => true,
            Self::FreshIfActive if !session.has_second_factor => true,
            Self::Shown => !session.second_factor_missing,
            Self::FreshIfActive | Self::Fresh => {
                !session.second_factor_missing
                    && session.fresh_until.is_none_or(|until| now < until)
            }
        };
        if is_met {
            Ok(())
        } else {
            Err(Failure::new(Reason::SecondFactorRequired))
        }
    }
}

#[cfg(test)]
mod tests {
    use adfolio_kit::identity::{Staff, StaffRole};
    use chrono::TimeDelta;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_demand_is_met_or_not() {
        let now = DateTime::UNIX_EPOCH;
        let session = |second_factor_missing, fresh_for: Option<i64>| StaffSession {
            staff: Staff {
                id: Uuid::nil(),
                role: StaffRole::Admin,
            },
            identity_token: None,
            must_change_password: false,
            has_second_factor: fresh_for.is_some(),
            second_factor_missing,
            fresh_until: fresh_for.map(|seconds| now + TimeDelta::seconds(seconds)),
        };
        let not_shown = StaffSession {
            has_second_factor: true,
            ..session(true, None)
        };
        for (session, met) in [
            (session(true, None), [true, true, false, false]),
            (not_shown, [true, false, false, false]),
            (session(false, None), [true, true, true, true]),
            (session(false, Some(1)), [true, true, true, true]),
            (session(false, Some(0)), [true, false, true, false]),
        ] {
            let demands = [
                Demand::Nothing,
                Demand::FreshIfActive,
                Demand::Shown,
                Demand::Fresh,
            ];
            let found = demands.map(|demand| demand.check(&session, now).is_ok());
            assert_eq!(found, met, "{session:?}");
        }
    }
}
