//! The console's first page: what waits for a person, and who is logged in.

use std::time::Duration;

use adfolio_kit::client;
use adfolio_kit::identity::StaffRole;
use adfolio_proto::acceptor::v1 as acceptor;
use adfolio_proto::auth::v1 as auth;
use adfolio_proto::common::v1 as common;
use adfolio_proto::coupon::v1 as coupon;
use adfolio_proto::notification::v1 as notification;
use adfolio_proto::plan::v1 as plan;
use adfolio_proto::wallet::v1 as wallet;
use chrono::Utc;
use tracing::warn;

use crate::call::Call;
use crate::dto::staff_account::Me;
use crate::dto::today::{Books, FiringAlerts, PartState, Sources, Today, Waiting, WaitingKind};
use crate::dto::{Decode, Timestamp};
use crate::errors::Failure;
use crate::input::Nothing;
use crate::route::{ANY_ROLE, FINANCE, OPERATOR, Route};

/// How long the page waits for one service. What it does not answer within is unavailable, and the rest is shown.
const PART_LIMIT: Duration = Duration::from_secs(3);

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/admin/today",
            "getToday",
            "What waits for a person, by kind, as far as the caller's role may open it. A service that does not answer \
             makes its kinds unavailable and fails nothing else.",
            today,
        )
        .staff(ANY_ROLE),
        Route::get(
            "/admin/me",
            "getStaffMe",
            "The caller's own account and session.",
            me,
        )
        .staff(ANY_ROLE)
        .admits_one_time_password(),
    ]
}

async fn me(call: Call, _: Nothing) -> Result<Me, Failure> {
    let message = auth::VerifyStaffSessionRequest {
        token: call.token()?.to_message(),
    };
    // As sessions are verified: a use extends the session, and another one does so again.
    let how = client::Call::repeated(&call.caller, PART_LIMIT).within(PART_LIMIT);
    let client = call.services().auth_admin.clone();
    let response = adfolio_kit::call!(client, verify_staff_session, message, how).await?;
    Me::from_proto(response)
}

/// What each service answered; none for one that did not.
struct Answers {
    wallet: Option<wallet::GetWaitingResponse>,
    plan: Option<plan::GetWaitingResponse>,
    items: [Option<Vec<common::Waiting>>; 6],
}

async fn today(call: Call, _: Nothing) -> Result<Today, Failure> {
    let at = Utc::now();
    let role = call.caller.staff.map(|staff| staff.role);
    let may = |roles: &[StaffRole]| role.is_some_and(|role| roles.contains(&role));
    let (answers, alerts) = tokio::join!(ask(&call), async {
        if may(OPERATOR) {
            Some(alerts(&call).await)
        } else {
            None
        }
    });
    let kinds = WaitingKind::ALL.into_iter();
    let waiting: Result<_, _> = kinds
        .filter(|kind| may(kind.list().0))
        .map(|kind| waiting(kind, &answers.items))
        .collect();
    let (sources, more) = answers
        .plan
        .as_ref()
        .map(|answer| (answer.sources.clone(), answer.is_more_sources))
        .unwrap_or_default();
    Ok(Today {
        at: Timestamp::from(at),
        waiting: waiting?,
        sources: Sources {
            state: PartState::of(answers.plan.as_ref()),
            items: Vec::decode(sources, "sources")?,
            more,
        },
        books: may(FINANCE).then(|| Books::of(answers.wallet.as_ref())),
        alerts,
    })
}

async fn alerts(call: &Call) -> FiringAlerts {
    let alerts = call.gateway.alerts();
    FiringAlerts::of(alerts.firing().await.as_deref(), alerts.are_configured())
}

/// Asks all services side by side, each with a deadline of its own.
async fn ask(call: &Call) -> Answers {
    macro_rules! part {
        ($name:literal, $client:ident, $package:ident) => {
            async {
                let how = client::Call::repeated(&call.caller, PART_LIMIT).within(PART_LIMIT);
                let client = call.services().$client.clone();
                let message = $package::GetWaitingRequest {};
                let answer = adfolio_kit::call!(client, get_waiting, message, how).await;
                if let Err(status) = &answer {
                    warn!(service = $name, %status, "what waits there is unavailable");
                }
                answer.ok()
            }
        };
    }
    let (auth, wallet, plan, coupon, notification, acceptor) = tokio::join!(
        part!("auth", auth_admin, auth),
        part!("wallet", wallet_admin, wallet),
        part!("plan", plan_admin, plan),
        part!("coupon", coupon_admin, coupon),
        part!("notification", notification_admin, notification),
        part!("acceptor", acceptor_admin, acceptor),
    );
    Answers {
        items: [
            auth.map(|answer| answer.items),
            wallet.as_ref().map(|answer| answer.items.clone()),
            plan.as_ref().map(|answer| answer.items.clone()),
            coupon.map(|answer| answer.items),
            notification.map(|answer| answer.items),
            acceptor.map(|answer| answer.items),
        ],
        wallet,
        plan,
    }
}

/// What waits of one kind, added up over the services that have it: one, but for dead letters, which all have.
fn waiting(
    kind: WaitingKind,
    answers: &[Option<Vec<common::Waiting>>],
) -> Result<Waiting, Failure> {
    let number = i32::from(kind);
    let mut found: Vec<&common::Waiting> = Vec::new();
    for items in answers.iter().flatten() {
        found.extend(items.iter().filter(|item| item.kind == number));
    }
    let expected = match kind {
        WaitingKind::DeadLetters => answers.len(),
        _ => 1,
    };
    let counts = found.iter().map(|item| item.count);
    let oldest = found.iter().filter_map(|item| item.oldest_at);
    let oldest = oldest.min_by_key(|at| (at.seconds, at.nanos));
    Ok(Waiting {
        kind,
        state: if found.len() >= expected {
            PartState::Known
        } else {
            PartState::Unavailable
        },
        count: (!found.is_empty()).then(|| counts.fold(0, i64::saturating_add)),
        more: found.iter().any(|item| item.is_more),
        oldest_at: Option::decode(oldest, "oldest_at")?,
    })
}

#[cfg(test)]
mod tests {
    use adfolio_kit::identity::StaffRole;

    use super::*;
    use crate::route::Access;
    use crate::routes::table;

    fn item(kind: WaitingKind, count: i64, seconds: i64) -> common::Waiting {
        common::Waiting {
            kind: kind.into(),
            count,
            is_more: false,
            oldest_at: Some(pbjson_types::Timestamp { seconds, nanos: 0 }),
        }
    }

    #[test]
    fn a_role_sees_the_kinds_whose_list_it_may_open() {
        let routes = table();
        for kind in WaitingKind::ALL {
            let (roles, path) = kind.list();
            let Some(path) = path else {
                continue;
            };
            let route = routes.iter().find(|route| route.path == path);
            let access = route.expect("a route").access;
            assert_eq!(access, Access::Staff(roles), "{kind:?}");
        }
        let (dead_letters, _) = WaitingKind::DeadLetters.list();
        assert!(!dead_letters.contains(&StaffRole::Support));
    }

    #[test]
    fn a_kind_that_nobody_answered_is_unavailable() {
        let answers = [
            None,
            Some(vec![item(WaitingKind::Approvals, 2, 90)]),
            Some(Vec::new()),
        ];
        let approvals = waiting(WaitingKind::Approvals, &answers).expect("an answer");
        assert_eq!(
            (approvals.state, approvals.count),
            (PartState::Known, Some(2))
        );
        let freezes = waiting(WaitingKind::Freezes, &answers).expect("an answer");
        assert_eq!(
            (freezes.state, freezes.count),
            (PartState::Unavailable, None)
        );
    }

    #[test]
    fn dead_letters_are_added_up_and_known_once_all_have_counted() {
        let letters = |count| Some(vec![item(WaitingKind::DeadLetters, count, 90)]);
        let found = waiting(WaitingKind::DeadLetters, &[letters(1), None]).expect("an answer");
        assert_eq!(
            (found.state, found.count),
            (PartState::Unavailable, Some(1))
        );
        let found = waiting(WaitingKind::DeadLetters, &[letters(1), letters(2)]);
        let found = found.expect("an answer");
        assert_eq!((found.state, found.count), (PartState::Known, Some(3)));
    }
}
