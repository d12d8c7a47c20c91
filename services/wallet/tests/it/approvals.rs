//! Four eyes: what staff post above an amount waits for another member of staff, and is posted once or not at all.

use std::time::Duration;

use adfolio_kit::client::{Channel, outgoing};
use adfolio_kit::four_eyes::FourEyesArgs;
use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_money::Money;
use adfolio_proto::common::v1::PageRequest;
use adfolio_proto::events::v1::StaffActed;
use adfolio_proto::wallet::v1 as proto;
use adfolio_proto::wallet::v1::wallet_admin_service_client::WalletAdminServiceClient;
use adfolio_proto::wallet::v1::{
    Approval, ApprovalAction, ApprovalDecision, ApprovalState, WithdrawalDecision,
};
use adfolio_testkit::{eventually, fixed_clock};
use adfolio_wallet::Config;
use futures::future::join_all;
use sqlx::Connection;
use uuid::Uuid;

use crate::helpers::{
    PIN, StaffPosting, Wallet, assert_refused, finance, keyed, post_at, refused, user_keyed,
};

const CALL_LIMIT: Duration = Duration::from_secs(20);

/// What needs nobody else.
pub const THRESHOLD: i64 = 10_000;
pub const ABOVE: i64 = THRESHOLD + 1;

const WEEK: Duration = Duration::from_hours(7 * 24);

const ALL: [StaffPosting; 8] = [
    StaffPosting::Deposit,
    StaffPosting::Chargeback,
    StaffPosting::Deduction,
    StaffPosting::Membership,
    StaffPosting::Grant,
    StaffPosting::Return,
    StaffPosting::GuaranteeDeposit,
    StaffPosting::GuaranteeReturn,
];

pub fn four_eyes(config: &mut Config) {
    config.four_eyes = FourEyesArgs::above(Money::from_minor(THRESHOLD));
    config.approvals.approval_sweep_interval_seconds = 1;
}

pub async fn spawn() -> Wallet {
    Wallet::builder().configure(four_eyes).spawn().await
}

/// Another member of staff than the one who asks.
pub fn second() -> Caller {
    Caller::staff(Uuid::from_u128(0xf2), StaffRole::Finance)
}

pub fn any_other() -> Caller {
    Caller::staff(Uuid::now_v7(), StaffRole::Admin)
}

impl Wallet {
    /// A user with money that counts against nobody.
    pub async fn rich_user(&self, parts: i64) -> Uuid {
        let user = self.user();
        self.fund(user, StaffPosting::Deposit, parts * THRESHOLD)
            .await;
        user
    }

    /// Posts where four eyes are off, so that it does not count.
    pub async fn fund(&self, user: Uuid, posting: StaffPosting, minor: i64) {
        let off = |config: &mut Config| config.four_eyes = FourEyesArgs::off();
        let replica = self.replica_with(off).await;
        let admin = WalletAdminServiceClient::new(replica.channel());
        let funded = post_at(admin, &finance(), posting, user, minor).await;
        funded.expect("posted");
    }

    pub async fn approvals(&self, state: ApprovalState) -> Vec<Approval> {
        let page = Some(PageRequest {
            limit: 100,
            ..PageRequest::default()
        });
        self.approvals_page(state, page).await.0
    }

    async fn approvals_page(
        &self,
        state: ApprovalState,
        page: Option<PageRequest>,
    ) -> (Vec<Approval>, String) {
        let message = proto::ListApprovalsRequest {
            state: state.into(),
            page,
        };
        let request = outgoing(&second(), message, CALL_LIMIT);
        let answer = self.staff().list_approvals(request).await;
        let answer = answer.expect("a page").into_inner();
        (answer.items, answer.next_cursor)
    }

    /// The only request that waits.
    pub async fn waiting(&self) -> Approval {
        let mut waiting = self.approvals(ApprovalState::Pending).await;
        assert_eq!(waiting.len(), 1, "{waiting:?}");
        waiting.remove(0)
    }

    pub async fn approve(&self, by: &Caller, id: &str) -> Result<Approval, Refusal> {
        decide(self.staff(), by, id, ApprovalDecision::Approved, "checked").await
    }

    pub async fn reject(&self, by: &Caller, id: &str, reason: &str) -> Result<Approval, Refusal> {
        decide(self.staff(), by, id, ApprovalDecision::Rejected, reason).await
    }

    /// Asks for a posting above the threshold, and answers what waits then.
    pub async fn asked(&self, posting: StaffPosting, user: Uuid) -> Approval {
        let answer = self.post_as(&finance(), posting, user, ABOVE).await;
        assert_refused(answer, Reason::ApprovalRequired, None);
        self.waiting().await
    }

    pub async fn transactions(&self, user: Uuid) -> i64 {
        sqlx::query_scalar("SELECT count(*) FROM transactions WHERE user_id = $1")
            .bind(user)
            .fetch_one(&self.pool())
            .await
            .expect("a count")
    }
}

pub async fn decide(
    mut admin: WalletAdminServiceClient<Channel>,
    by: &Caller,
    id: &str,
    decision: ApprovalDecision,
    reason: &str,
) -> Result<Approval, Refusal> {
    let message = proto::DecideApprovalRequest {
        approval_id: id.to_owned(),
        decision: decision.into(),
        reason: reason.to_owned(),
    };
    let answer = admin.decide_approval(outgoing(by, message, CALL_LIMIT));
    let answer = answer.await.map_err(refused)?.into_inner();
    Ok(answer.approval.expect("an approval"))
}

#[tokio::test]
async fn the_threshold_itself_is_posted_and_a_cent_more_waits() {
    let stack = spawn().await;
    for posting in ALL {
        let user = stack.rich_user(2).await;
        stack.fund(user, StaffPosting::Grant, THRESHOLD).await;
        let guarantee = StaffPosting::GuaranteeDeposit;
        stack.fund(user, guarantee, THRESHOLD).await;
        let posted = stack.post_as(&any_other(), posting, user, THRESHOLD).await;
        posted.expect("posted");
    }
    let user = stack.rich_user(2).await;
    assert!(stack.approvals(ApprovalState::Unspecified).await.is_empty());
    let before = (stack.property(user).await, stack.transactions(user).await);
    for posting in ALL {
        let answer = stack.post_as(&finance(), posting, user, ABOVE).await;
        assert_refused(answer, Reason::ApprovalRequired, None);
    }
    assert_eq!(
        (stack.property(user).await, stack.transactions(user).await),
        before
    );
    assert_eq!(
        stack.approvals(ApprovalState::Pending).await.len(),
        ALL.len()
    );
    // What nobody could post is told at once.
    let (deposit, support) = (
        StaffPosting::Deposit,
        Caller::staff(Uuid::now_v7(), StaffRole::Support),
    );
    let negative = stack.post_as(&finance(), deposit, user, -1).await;
    assert_refused(negative, Reason::Validation, Some("amount"));
    let nobody = stack
        .post_as(&finance(), deposit, Uuid::now_v7(), ABOVE)
        .await;
    assert_refused(nobody, Reason::NotFound, Some("user_id"));
    let wrong_role = stack.post_as(&support, deposit, user, ABOVE).await;
    assert_refused(wrong_role, Reason::Forbidden, None);
    assert_eq!(
        stack.approvals(ApprovalState::Pending).await.len(),
        ALL.len()
    );
}

#[tokio::test]
async fn an_approved_request_is_posted_as_it_was_asked_for() {
    let stack = spawn().await;
    let user = stack.rich_user(4).await;
    let mut available = 4 * THRESHOLD;
    for (posting, action, sign) in [
        (StaffPosting::Deposit, ApprovalAction::Deposit, 1),
        (StaffPosting::Chargeback, ApprovalAction::Chargeback, -1),
        (
            StaffPosting::Deduction,
            ApprovalAction::RechargeDeduction,
            -1,
        ),
        (StaffPosting::Grant, ApprovalAction::StartUpGrant, 1),
        (StaffPosting::Return, ApprovalAction::StartUpReturn, -1),
        (StaffPosting::Membership, ApprovalAction::Membership, -1),
        (
            StaffPosting::GuaranteeDeposit,
            ApprovalAction::GuaranteeDeposit,
            -1,
        ),
        (
            StaffPosting::GuaranteeReturn,
            ApprovalAction::GuaranteeReturn,
            1,
        ),
    ] {
        let waiting = stack.asked(posting, user).await;
        assert_eq!(
            (waiting.action(), waiting.user_id.as_str()),
            (action, user.to_string().as_str())
        );
        assert_eq!(waiting.amount_minor, ABOVE);
        assert_eq!(
            waiting.requested_by,
            finance().staff.expect("staff").id.to_string()
        );
        let approved = stack
            .approve(&second(), &waiting.id)
            .await
            .expect("approved");
        assert_eq!(approved.state(), ApprovalState::Approved);
        available += sign * ABOVE;
        let line = stack.all_flow(user).await.remove(0);
        assert_eq!(
            (line.amount_minor, line.balance_after_minor),
            (sign * ABOVE, available)
        );
        assert!(line.id.starts_with(&approved.transaction_id), "{line:?}");
    }
    assert_eq!(stack.property(user).await.available_minor, available);
    assert_eq!(
        stack.books.lock().expect("books").members,
        [user.to_string()]
    );
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn who_asked_and_who_approved_what_and_why_is_audited() {
    let stack = spawn().await;
    let probe = stack.broker.probe(&["adfolio.wallet.v1.*"]).await;
    let user = stack.user();
    let asking = Caller {
        reason: "transfer 4711".into(),
        ..finance()
    };
    let answer = stack.deposit_as(&asking, user, ABOVE, "welcome").await;
    assert_refused(answer, Reason::ApprovalRequired, None);
    let waiting = stack.waiting().await;
    assert_eq!(
        (waiting.remark.as_str(), waiting.request_reason.as_str()),
        ("welcome", "transfer 4711")
    );
    let approving = ApprovalDecision::Approved;
    let decided = decide(stack.staff(), &second(), &waiting.id, approving, "seen").await;
    let decided = decided.expect("approved");
    assert_eq!(decided.decision_reason, "seen");
    assert_eq!(stack.all_flow(user).await[0].remark, "welcome");

    let acted = probe.wait_for("adfolio.wallet.v1.StaffActed", 3).await;
    let acted: Vec<StaffActed> = acted
        .iter()
        .map(|it| it.data().expect("an event"))
        .collect();
    let mut said: Vec<[&str; 3]> = acted
        .iter()
        .map(|act| [&*act.action, &*act.staff_id, &*act.reason])
        .collect();
    said.sort_unstable();
    let [asked, approved] = [&waiting.requested_by, &decided.decided_by];
    assert_eq!(
        said,
        [
            ["wallet.approval_approved", approved, "seen"],
            ["wallet.approval_requested", asked, "transfer 4711"],
            ["wallet.deposit", asked, "transfer 4711"],
        ]
    );
    let approved = acted
        .iter()
        .find(|act| act.action == "wallet.approval_approved")
        .expect("the approval");
    let after: serde_json::Value = serde_json::from_str(&approved.after_json).expect("JSON");
    assert_eq!(after["amount_minor"], ABOVE);
    assert_eq!(after["transaction_id"], decided.transaction_id.as_str());
    assert_eq!(approved.target, waiting.id);
    // The others of the ledger's events are there as for any posting.
    probe.wait_for("adfolio.wallet.v1.DepositCredited", 1).await;
}

#[tokio::test]
async fn rejections_and_failures_are_audited_too() {
    let stack = spawn().await;
    let probe = stack.broker.probe(&["adfolio.wallet.v1.*"]).await;
    let user = stack.user();
    let unknown = stack.asked(StaffPosting::Deposit, user).await;
    stack
        .reject(&second(), &unknown.id, "unknown payer")
        .await
        .expect("rejected");
    let uncovered = stack.asked(StaffPosting::Chargeback, user).await;
    let answer = stack.approve(&second(), &uncovered.id).await;
    assert_refused(answer, Reason::InsufficientBalance, Some("amount"));
    let acted = probe.wait_for("adfolio.wallet.v1.StaffActed", 4).await;
    let acted: Vec<StaffActed> = acted
        .iter()
        .map(|it| it.data().expect("an event"))
        .collect();
    let said: Vec<[&str; 3]> = acted
        .iter()
        .map(|act| [&*act.action, &*act.target, &*act.reason])
        .collect();
    assert_eq!(
        said,
        [
            ["wallet.approval_requested", &unknown.id, ""],
            ["wallet.approval_rejected", &unknown.id, "unknown payer"],
            ["wallet.approval_requested", &uncovered.id, ""],
            ["wallet.approval_failed", &uncovered.id, "checked"],
        ]
    );
    let after: serde_json::Value = serde_json::from_str(&acted[3].after_json).expect("JSON");
    assert_eq!(after["failure"], "INSUFFICIENT_BALANCE");
    assert_eq!(after["amount_minor"], ABOVE);
}

#[tokio::test]
async fn a_repeated_request_is_kept_once_and_its_key_replays_the_posting() {
    let stack = spawn().await;
    let user = stack.user();
    let caller = keyed("large");
    let answers = join_all((0..20).map(|_| stack.deposit_as(&caller, user, ABOVE, "x"))).await;
    for answer in answers {
        assert_refused(answer, Reason::ApprovalRequired, None);
    }
    // Without a key, or with another one, the same member's identical request is the same one while it waits.
    for again in [finance(), keyed("other")] {
        let answer = stack.deposit_as(&again, user, ABOVE, "x").await;
        assert_refused(answer, Reason::ApprovalRequired, None);
    }
    let waiting = stack.waiting().await;
    // The key is taken, for large and for small.
    for minor in [ABOVE + 1, 5] {
        let answer = stack.deposit_as(&caller, user, minor, "x").await;
        assert_refused(answer, Reason::IdempotencyKeyReused, None);
    }
    stack
        .approve(&second(), &waiting.id)
        .await
        .expect("approved");
    let replayed = join_all((0..5).map(|_| stack.deposit_as(&caller, user, ABOVE, "x"))).await;
    for answer in replayed {
        let entry = answer.expect("the posting");
        assert_eq!(entry.amount_minor, ABOVE);
        assert_eq!(stack.all_flow(user).await, [entry]);
    }
    assert!(stack.approvals(ApprovalState::Pending).await.is_empty());
    // Somebody else's, and one after the first was decided, are requests of their own.
    for again in [second(), finance()] {
        let answer = stack.deposit_as(&again, user, ABOVE, "x").await;
        assert_refused(answer, Reason::ApprovalRequired, None);
    }
    assert_eq!(stack.approvals(ApprovalState::Pending).await.len(), 2);
    assert_eq!(stack.property(user).await.available_minor, ABOVE);
}

#[tokio::test]
async fn nobody_decides_about_their_own_request() {
    let stack = spawn().await;
    let user = stack.user();
    let waiting = stack.asked(StaffPosting::Deposit, user).await;
    let as_admin = Caller::staff(finance().staff.expect("staff").id, StaffRole::Admin);
    for own in [finance(), as_admin] {
        let approved = stack.approve(&own, &waiting.id).await;
        assert_refused(approved, Reason::Forbidden, Some("requested_by"));
        let rejected = stack.reject(&own, &waiting.id, "mine").await;
        assert_refused(rejected, Reason::Forbidden, Some("requested_by"));
    }
    for role in [StaffRole::Support, StaffRole::Operator] {
        let other = Caller::staff(Uuid::now_v7(), role);
        assert_refused(
            stack.approve(&other, &waiting.id).await,
            Reason::Forbidden,
            None,
        );
    }
    let unknown = stack.approve(&second(), &Uuid::now_v7().to_string()).await;
    assert_refused(unknown, Reason::NotFound, Some("id"));
    let spoilt = sqlx::query(
        "UPDATE approvals SET state = 'approved', decided_by = requested_by, decided_at = now(), transaction_id = id",
    )
    .execute(&stack.pool())
    .await;
    let error = spoilt.expect_err("a violation");
    let constraint = error.as_database_error().and_then(|it| it.constraint());
    assert_eq!(constraint, Some("approvals_second_person"));
    assert_eq!(stack.waiting().await, waiting);
    assert_eq!(stack.transactions(user).await, 0);
}

#[tokio::test]
async fn of_many_who_decide_at_once_one_does() {
    let stack = spawn().await;
    let replica = stack.replica().await;
    for _ in 0..5 {
        let user = stack.user();
        let waiting = stack.asked(StaffPosting::Deposit, user).await;
        let deciders = (0..12).map(|turn| {
            let admin = if turn % 2 == 0 {
                stack.staff()
            } else {
                WalletAdminServiceClient::new(replica.channel())
            };
            let decision = if turn % 3 == 0 {
                ApprovalDecision::Rejected
            } else {
                ApprovalDecision::Approved
            };
            let id = waiting.id.clone();
            async move { decide(admin, &any_other(), &id, decision, "so").await }
        });
        let answers = join_all(deciders).await;
        let (decided, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
        assert_eq!(decided.len(), 1);
        for answer in refused {
            assert_refused(answer, Reason::NothingChanged, None);
        }
        let decided = decided.into_iter().next().expect("one").expect("decided");
        let posted = i64::from(decided.state() == ApprovalState::Approved);
        assert_eq!(stack.transactions(user).await, posted);
        assert_eq!(stack.property(user).await.available_minor, posted * ABOVE);
    }
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn whoever_decided_is_answered_alike_again() {
    let stack = spawn().await;
    let user = stack.user();
    let waiting = stack.asked(StaffPosting::Deposit, user).await;
    let caller = second().with_key(Some("k".parse().expect("a key")));
    let answers = join_all((0..10).map(|_| stack.approve(&caller, &waiting.id))).await;
    let first = answers[0].clone().expect("approved");
    assert!(answers.iter().all(|it| it.as_ref() == Ok(&first)));
    // Also without the key, which does not live for ever.
    assert_eq!(stack.approve(&second(), &waiting.id).await, Ok(first));
    let other = stack.reject(&caller, &waiting.id, "no").await;
    assert_refused(other, Reason::IdempotencyKeyReused, None);
    let other = stack.reject(&second(), &waiting.id, "no").await;
    assert_refused(other, Reason::NothingChanged, None);
    assert_eq!(stack.transactions(user).await, 1);
    let changed = sqlx::query("UPDATE approvals SET state = 'pending'")
        .execute(&stack.pool())
        .await;
    assert!(changed.is_err(), "a decision was changed");
}

#[tokio::test]
async fn a_rejected_request_posts_nothing_and_stays_rejected() {
    let stack = spawn().await;
    let user = stack.rich_user(2).await;
    let caller = keyed("large");
    let ask = || stack.post_as(&caller, StaffPosting::Chargeback, user, ABOVE);
    assert_refused(ask().await, Reason::ApprovalRequired, None);
    let waiting = stack.waiting().await;
    for reason in ["", "  "] {
        for decision in [ApprovalDecision::Approved, ApprovalDecision::Rejected] {
            let answer = decide(stack.staff(), &second(), &waiting.id, decision, reason).await;
            assert_refused(answer, Reason::Validation, Some("reason"));
        }
    }
    let long = stack.reject(&second(), &waiting.id, &"ü".repeat(501)).await;
    assert_refused(long, Reason::Validation, Some("reason"));
    let rejected = stack.reject(&second(), &waiting.id, "no dispute").await;
    let rejected = rejected.expect("rejected");
    assert_eq!(
        (rejected.state(), rejected.decision_reason.as_str()),
        (ApprovalState::Rejected, "no dispute")
    );
    assert_eq!(
        stack.reject(&second(), &waiting.id, "no dispute").await,
        Ok(rejected)
    );
    let late = stack.approve(&any_other(), &waiting.id).await;
    assert_refused(late, Reason::NothingChanged, None);
    // A client that repeats its call does not bring the request back.
    assert_refused(ask().await, Reason::ApprovalRequired, None);
    assert!(stack.approvals(ApprovalState::Pending).await.is_empty());
    assert_eq!(stack.property(user).await.available_minor, 2 * THRESHOLD);
}

#[tokio::test]
async fn what_nobody_decides_within_a_week_expires() {
    let clock = fixed_clock("2026-11-02T10:00:00Z");
    let stack = Wallet::builder()
        .clock(clock.clone())
        .configure(four_eyes)
        .spawn()
        .await;
    let user = stack.user();
    let waiting = stack.asked(StaffPosting::Deposit, user).await;
    clock.advance(WEEK.saturating_sub(Duration::from_secs(1)));
    let newer = stack.user();
    let answer = stack.deposit_as(&finance(), newer, ABOVE, "").await;
    assert_refused(answer, Reason::ApprovalRequired, None);
    assert_eq!(stack.approvals(ApprovalState::Pending).await.len(), 2);
    clock.advance(Duration::from_secs(1));
    // Not even before the sweep has come by.
    let late = stack.approve(&second(), &waiting.id).await;
    assert_refused(late, Reason::NothingChanged, None);
    let expired = eventually("the request expires", || async {
        let mut expired = stack.approvals(ApprovalState::Expired).await;
        (expired.len() == 1).then(|| expired.remove(0))
    })
    .await;
    assert_eq!(expired.id, waiting.id);
    assert_eq!(
        (expired.decided_by.as_str(), expired.decided_at),
        ("", None)
    );
    let late = stack.reject(&second(), &waiting.id, "late").await;
    assert_refused(late, Reason::NothingChanged, None);
    assert_eq!(stack.transactions(user).await, 0);
    // The other one still waits, and what expired can be asked for anew.
    let other = stack.waiting().await;
    stack.approve(&second(), &other.id).await.expect("approved");
    let again = stack.asked(StaffPosting::Deposit, user).await;
    assert_ne!(again.id, waiting.id);
}

#[tokio::test]
async fn what_cannot_be_posted_any_more_fails_and_says_why() {
    let stack = spawn().await;
    let user = stack.rich_user(1).await;
    let caller = keyed("large");
    let ask = || stack.post_as(&caller, StaffPosting::Chargeback, user, ABOVE);
    assert_refused(ask().await, Reason::ApprovalRequired, None);
    let waiting = stack.waiting().await;
    // Whoever approves is refused as the call itself would be, however often.
    for _ in 0..2 {
        let answer = stack.approve(&second(), &waiting.id).await;
        assert_refused(answer, Reason::InsufficientBalance, Some("amount"));
    }
    let failed = stack.approvals(ApprovalState::Failed).await.remove(0);
    assert_eq!(
        (failed.failure.as_str(), failed.transaction_id.as_str()),
        ("INSUFFICIENT_BALANCE", "")
    );
    // Money that comes later changes nothing about it.
    stack.fund(user, StaffPosting::Deposit, THRESHOLD).await;
    let late = stack.approve(&any_other(), &waiting.id).await;
    assert_refused(late, Reason::NothingChanged, None);
    assert_refused(
        stack.approve(&second(), &waiting.id).await,
        Reason::InsufficientBalance,
        Some("amount"),
    );
    assert_refused(ask().await, Reason::InsufficientBalance, Some("amount"));
    assert!(stack.approvals(ApprovalState::Pending).await.is_empty());
    assert_eq!(stack.property(user).await.available_minor, 2 * THRESHOLD);
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn a_decision_that_dies_half_way_leaves_nothing_behind() {
    let stack = spawn().await;
    let user = stack.rich_user(1).await;
    let waiting = stack.asked(StaffPosting::Deposit, user).await;
    // Somebody holds the wallet's row, so the decision stands between its lock on the request and the posting.
    let mut blocker = sqlx::PgConnection::connect(stack.db.url())
        .await
        .expect("a connection");
    let mut blocking = blocker.begin().await.expect("a transaction");
    sqlx::query("SELECT FROM wallets WHERE user_id = $1 FOR UPDATE")
        .bind(user)
        .execute(&mut *blocking)
        .await
        .expect("a lock");
    let (admin, id) = (stack.staff(), waiting.id.clone());
    let dying = tokio::spawn(async move {
        decide(admin, &second(), &id, ApprovalDecision::Approved, "checked").await
    });
    eventually("the decision waits for the wallet", || async {
        stack.waiting_for_locks().await > 0
    })
    .await;
    sqlx::query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE wait_event_type = 'Lock' AND datname = current_database()",
    )
    .execute(&stack.pool())
    .await
    .expect("an end");
    let answer = dying.await.expect("no panic");
    assert_refused(answer, Reason::Unavailable, None);
    blocking.rollback().await.expect("a rollback");
    assert_eq!(stack.waiting().await, waiting);
    assert_eq!(stack.property(user).await.available_minor, THRESHOLD);
    // The decision is simply repeated, by whomever.
    stack
        .approve(&any_other(), &waiting.id)
        .await
        .expect("approved");
    assert_eq!(
        stack.property(user).await.available_minor,
        THRESHOLD + ABOVE
    );
}

#[tokio::test]
async fn deciders_who_go_away_at_any_moment_post_once_or_not_at_all() {
    let stack = spawn().await;
    let users: Vec<Uuid> = (0..60).map(|_| stack.user()).collect();
    for user in &users {
        let answer = stack.deposit_as(&finance(), *user, ABOVE, "").await;
        assert_refused(answer, Reason::ApprovalRequired, None);
    }
    let waiting = stack.approvals(ApprovalState::Pending).await;
    assert_eq!(waiting.len(), users.len());
    join_all(waiting.iter().enumerate().map(|(turn, approval)| {
        let patience = Duration::from_micros(turn as u64 * 977 % 30_000);
        let (stack, by) = (&stack, second());
        async move {
            let _ = tokio::time::timeout(patience, stack.approve(&by, &approval.id)).await;
        }
    }))
    .await;
    let torn: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM approvals a FULL JOIN transactions t ON t.id = a.transaction_id
         WHERE t.id IS NULL AND a.state = 'approved' OR a.id IS NULL",
    )
    .fetch_one(&stack.pool())
    .await
    .expect("a count");
    assert_eq!(torn, 0, "decided and not posted, or posted and not decided");
    for approval in &waiting {
        let approved = stack.approve(&second(), &approval.id).await;
        assert_eq!(approved.expect("approved").state(), ApprovalState::Approved);
    }
    for user in users {
        assert_eq!(stack.transactions(user).await, 1);
        assert_eq!(stack.property(user).await.available_minor, ABOVE);
    }
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn a_posting_made_elsewhere_under_the_key_is_not_made_again() {
    let stack = spawn().await;
    let user = stack.user();
    let caller = keyed("large");
    let answer = stack.deposit_as(&caller, user, ABOVE, "").await;
    assert_refused(answer, Reason::ApprovalRequired, None);
    let waiting = stack.waiting().await;
    // Where the amount needs nobody any more, the repeated call posts.
    let replica = stack
        .replica_with(|config| config.four_eyes = FourEyesArgs::off())
        .await;
    let message = proto::DepositRequest {
        user_id: user.to_string(),
        amount_minor: ABOVE,
        remark: String::new(),
    };
    let mut admin = WalletAdminServiceClient::new(replica.channel());
    admin
        .deposit(outgoing(&caller, message, CALL_LIMIT))
        .await
        .expect("posted");
    let approved = stack
        .approve(&second(), &waiting.id)
        .await
        .expect("approved");
    let lines = stack.all_flow(user).await;
    assert_eq!(lines.len(), 1);
    assert!(lines[0].id.starts_with(&approved.transaction_id));
    // What was posted before there was a threshold is replayed, not asked for.
    let earlier = stack.user_with(THRESHOLD).await;
    let key = keyed("earlier");
    let message = proto::DepositRequest {
        user_id: earlier.to_string(),
        amount_minor: ABOVE,
        remark: String::new(),
    };
    let posted = admin.deposit(outgoing(&key, message, CALL_LIMIT)).await;
    let posted = posted.expect("posted").into_inner().entry;
    let replayed = stack.deposit_as(&key, earlier, ABOVE, "").await;
    assert_eq!(replayed.ok(), posted);
    assert!(stack.approvals(ApprovalState::Pending).await.is_empty());
}

#[tokio::test]
async fn paying_a_large_withdrawal_takes_two() {
    let stack = spawn().await;
    let user = stack.withdrawing_user(1).await;
    stack.fund(user, StaffPosting::Deposit, 2 * THRESHOLD).await;
    let pay = async |caller: &Caller, id: &str| {
        stack
            .decide(caller, id, WithdrawalDecision::Paid, "sent")
            .await
    };
    let small = stack.withdraw(&user_keyed(user, "s"), 500, PIN).await;
    let small = small.expect("a withdrawal");
    pay(&finance(), &small.id).await.expect("paid");
    let large = stack.withdraw(&user_keyed(user, "l"), ABOVE, PIN).await;
    let large = large.expect("a withdrawal");
    let caller = keyed("pay");
    for _ in 0..2 {
        assert_refused(
            pay(&caller, &large.id).await,
            Reason::ApprovalRequired,
            None,
        );
    }
    let waiting = stack.waiting().await;
    assert_eq!(
        (waiting.action(), waiting.withdrawal_id.as_str()),
        (ApprovalAction::WithdrawalPaid, large.id.as_str())
    );
    assert_eq!(
        (waiting.amount_minor, waiting.request_reason.as_str()),
        (ABOVE, "sent")
    );
    assert_eq!(stack.property(user).await.withdrawing_minor, ABOVE);
    stack
        .approve(&second(), &waiting.id)
        .await
        .expect("approved");
    assert_eq!(stack.property(user).await.withdrawing_minor, 0);
    let replayed = pay(&caller, &large.id).await.expect("paid");
    assert_eq!(replayed.status(), proto::WithdrawalStatus::Paid);
    // What is decided already is not asked for.
    assert_refused(
        pay(&finance(), &large.id).await,
        Reason::NothingChanged,
        None,
    );
    assert_eq!(stack.approvals(ApprovalState::Unspecified).await.len(), 1);
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn a_withdrawal_rejected_meanwhile_is_not_paid() {
    let stack = spawn().await;
    let user = stack.withdrawing_user(1).await;
    stack
        .fund(user, StaffPosting::Deposit, 2 * THRESHOLD - 1)
        .await;
    let large = stack.withdraw(&user_keyed(user, "l"), ABOVE, PIN).await;
    let large = large.expect("a withdrawal");
    let paid = WithdrawalDecision::Paid;
    let asked = stack.decide(&finance(), &large.id, paid, "").await;
    assert_refused(asked, Reason::ApprovalRequired, None);
    let waiting = stack.waiting().await;
    // To give money back takes nobody else.
    let rejected = WithdrawalDecision::Rejected;
    stack
        .decide(&finance(), &large.id, rejected, "wrong bank")
        .await
        .expect("rejected");
    let answer = stack.approve(&second(), &waiting.id).await;
    assert_refused(answer, Reason::NothingChanged, None);
    let failed = stack.approvals(ApprovalState::Failed).await;
    assert_eq!(failed[0].failure, "NOTHING_CHANGED");
    let property = stack.property(user).await;
    assert_eq!(
        (property.available_minor, property.withdrawing_minor),
        (2 * THRESHOLD, 0)
    );
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn requests_are_listed_newest_first_by_state() {
    let stack = spawn().await;
    let user = stack.user();
    for minor in 1..=5 {
        let answer = stack
            .deposit_as(&finance(), user, THRESHOLD + minor, "")
            .await;
        assert_refused(answer, Reason::ApprovalRequired, None);
    }
    let oldest = stack.approvals(ApprovalState::Pending).await.remove(4);
    stack
        .reject(&second(), &oldest.id, "no")
        .await
        .expect("rejected");
    let amounts = async |state| {
        let (mut amounts, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = Some(PageRequest { cursor, limit: 2 });
            let (items, next) = stack.approvals_page(state, page).await;
            amounts.extend(items.iter().map(|item| item.amount_minor - THRESHOLD));
            if next.is_empty() {
                return amounts;
            }
            cursor = next;
        }
    };
    assert_eq!(amounts(ApprovalState::Unspecified).await, [5, 4, 3, 2, 1]);
    assert_eq!(amounts(ApprovalState::Pending).await, [5, 4, 3, 2]);
    assert_eq!(amounts(ApprovalState::Rejected).await, [1]);
    // A cursor belongs to its list.
    let page = Some(PageRequest {
        limit: 2,
        ..PageRequest::default()
    });
    let (_, cursor) = stack.approvals_page(ApprovalState::Pending, page).await;
    let message = proto::ListApprovalsRequest {
        state: ApprovalState::Rejected.into(),
        page: Some(PageRequest { cursor, limit: 2 }),
    };
    let request = outgoing(&second(), message, CALL_LIMIT);
    let answer = stack.staff().list_approvals(request).await;
    assert_refused(answer.map_err(refused), Reason::Validation, Some("cursor"));
}
