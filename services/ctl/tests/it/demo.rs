//! `adfolioctl demo load`: everything is there, and a second load changes nothing.

use std::collections::HashMap;

use adfolio_proto::acceptor::v1::acceptor_service_client::AcceptorServiceClient;
use adfolio_proto::acceptor::v1::{AcceptorKind, GetAcceptorDetailRequest};
use adfolio_proto::auth::v1::auth_service_client::AuthServiceClient;
use adfolio_proto::auth::v1::{LoginRequest, RegisterRequest};
use adfolio_proto::coupon::v1::ListCouponsRequest;
use adfolio_proto::coupon::v1::coupon_service_client::CouponServiceClient;
use adfolio_proto::notification::v1::notification_service_client::NotificationServiceClient;
use adfolio_proto::notification::v1::{ListNotificationsRequest, ListServiceEntriesRequest};
use adfolio_proto::plan::v1::plan_service_client::PlanServiceClient;
use adfolio_proto::plan::v1::{
    GetStatisticsRequest, ListFollowsRequest, ListPlansRequest, ListProductsRequest, Plan,
    PlanStatus, StatisticsRange,
};
use adfolio_proto::wallet::v1::wallet_service_client::WalletServiceClient;
use adfolio_proto::wallet::v1::{CheckPayPasswordRequest, GetPropertyRequest};
use adfolio_testkit::eventually;

use crate::helpers::{Stack, anonymous, as_user};

async fn log_in(stack: &Stack) -> String {
    let message = LoginRequest {
        username: "demo".to_owned(),
        password: "adfolio-demo-1".to_owned(),
        ..LoginRequest::default()
    };
    let answer = AuthServiceClient::new(stack.auth())
        .login(anonymous(message))
        .await
        .unwrap();
    answer.into_inner().session.unwrap().user.unwrap().id
}

async fn plans(stack: &Stack, user: &str) -> Vec<Plan> {
    let mut plan = PlanServiceClient::new(stack.plan());
    plan.list_plans(as_user(user, ListPlansRequest::default()))
        .await
        .unwrap()
        .into_inner()
        .items
}

#[tokio::test]
async fn a_load_makes_everything_once() {
    let stack = Stack::start().await;
    let first = stack.run(&["demo", "load"]).await;
    assert_eq!(first.code, 0, "{first:?}");
    let user = log_in(&stack).await;
    check_plans(&plans(&stack, &user).await);
    check_wallet(&stack, &user).await;
    check_offers(&stack, &user).await;
    check_keys(&stack).await;

    let (before, property) = (stack.row_counts().await, property(&stack, &user).await);
    let second = stack.run(&["demo", "load"]).await;
    assert_eq!(
        (second.code, second.output.trim()),
        (0, "the demo data are there"),
        "{second:?}"
    );
    assert_eq!(stack.row_counts().await, before);
    assert_eq!(self::property(&stack, &user).await, property);

    let folder = tempfile::tempdir().unwrap();
    let password = folder.path().join("password");
    std::fs::write(&password, "a long enough secret").unwrap();
    let file = password.to_str().unwrap();
    let setup = ["setup", "--demo", "1", "--admin-password-file", file];
    let third = stack.run(&setup).await;
    assert_eq!(third.code, 0, "{third:?}");
    assert!(third.output.starts_with("created admin"), "{third:?}");
    assert!(
        third.output.ends_with("the demo data are there\n"),
        "{third:?}"
    );
    let before = stack.row_counts().await;
    let fourth = stack.run(&setup).await;
    assert_eq!(fourth.code, 0, "{fourth:?}");
    assert_eq!(stack.row_counts().await, before);
    assert_eq!(self::property(&stack, &user).await, property);

    let ended = stack.run(&["wallet", "reconcile"]).await;
    assert_eq!(ended.code, 0, "{ended:?}");
}

#[tokio::test]
async fn with_four_eyes_the_second_admin_agrees() {
    let stack = Stack::start_with_four_eyes("1000.00").await;
    let first = stack.run(&["demo", "load"]).await;
    assert_eq!(first.code, 1, "{first:?}");
    assert!(first.errors.contains("no account admin2"), "{first:?}");
    // A load that was broken off after it has asked goes on there.
    stack.founder("admin2").await;
    let second = stack.run(&["demo", "load"]).await;
    assert_eq!(second.code, 0, "{second:?}");
    let user = log_in(&stack).await;
    check_wallet(&stack, &user).await;
    check_offers(&stack, &user).await;
    let before = stack.row_counts().await;
    let third = stack.run(&["demo", "load"]).await;
    assert_eq!(third.output.trim(), "the demo data are there", "{third:?}");
    assert_eq!(stack.row_counts().await, before);
}

fn check_plans(plans: &[Plan]) {
    let by_status: HashMap<PlanStatus, &Plan> =
        plans.iter().map(|plan| (plan.status(), plan)).collect();
    for status in [
        PlanStatus::Waiting,
        PlanStatus::Matching,
        PlanStatus::Putting,
        PlanStatus::PutFailed,
        PlanStatus::WaitingSettlement,
        PlanStatus::Settled,
    ] {
        assert!(by_status.contains_key(&status), "no plan is {status:?}");
    }
    assert_eq!(plans.len(), 6);
    let waiting = by_status[&PlanStatus::Waiting];
    assert!(waiting.official && !waiting.operator_id.is_empty());
    let putting = by_status[&PlanStatus::Putting];
    assert_eq!(
        (putting.put_progress, putting.sources.as_slice()),
        (62, ["import".to_owned()].as_slice())
    );
    let settled = by_status[&PlanStatus::Settled];
    assert_eq!(settled.consumed_minor, settled.put_amount_minor);
    assert!(
        settled.revenue_minor > 0 && settled.clicks > 0 && settled.impressions > settled.clicks
    );
}

async fn property(stack: &Stack, user: &str) -> adfolio_proto::wallet::v1::Property {
    let mut wallet = WalletServiceClient::new(stack.wallet());
    wallet
        .get_property(as_user(user, GetPropertyRequest {}))
        .await
        .unwrap()
        .into_inner()
        .property
        .unwrap()
}

async fn check_wallet(stack: &Stack, user: &str) {
    // 5,000 less what stays in plans or was spent there, and with what the settled plan paid out.
    let expected = 500_000 - 60_000 - 45_000 - 80_000 - 30_000 + 60_000 * 117 / 100 - 15_000;
    let property = eventually("the figures have settled", async || {
        let property = property(stack, user).await;
        // What delivery did not consume of the plan that waits for settlement comes back with its settlement.
        (property.available_minor == expected).then_some(property)
    })
    .await;
    assert!(property.to_be_settled_minor > 0);
    assert_eq!(property.withdrawing_minor, 15_000);
    assert!(property.has_pay_password && property.has_bank_card);
    assert!(property.withdrawal_blocked_by.is_empty());
    // The password that the catalogue promises: the digits 246810.
    let mut wallet = WalletServiceClient::new(stack.wallet());
    let message = CheckPayPasswordRequest {
        password: "b6af3f19458ec8e6faff8ee1e0440ecb".to_owned(),
    };
    wallet
        .check_pay_password(as_user(user, message))
        .await
        .unwrap();
    let mut plan = PlanServiceClient::new(stack.plan());
    let message = GetStatisticsRequest {
        range: StatisticsRange::All.into(),
        time_zone: String::new(),
    };
    let figures = plan
        .get_statistics(as_user(user, message))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        figures.consumed_minor,
        60_000 + 45_000 * 96 / 100 + 80_000 * 62 / 100
    );
}

async fn check_offers(stack: &Stack, user: &str) {
    let mut plan = PlanServiceClient::new(stack.plan());
    let follows = plan
        .list_follows(as_user(user, ListFollowsRequest::default()))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(follows.items.len(), 1);
    assert_eq!(follows.items[0].operator_id, follows.current_operator_id);
    let products = plan
        .list_products(as_user(user, ListProductsRequest::default()))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(products.items.len(), 3);
    let mut coupon = CouponServiceClient::new(stack.coupon());
    let coupons = coupon
        .list_coupons(as_user(user, ListCouponsRequest::default()))
        .await
        .unwrap()
        .into_inner();
    assert_eq!((coupons.items.len(), coupons.claimable.len()), (4, 2));
    let mut acceptor = AcceptorServiceClient::new(stack.acceptor());
    for (kind, code) in [
        (AcceptorKind::Personal, "DEMO-PERSONAL"),
        (AcceptorKind::Enterprise, "DEMO-ENTERPRISE"),
    ] {
        let message = GetAcceptorDetailRequest {
            kind: kind.into(),
            code: code.to_owned(),
        };
        let answer = acceptor
            .get_acceptor_detail(as_user(user, message))
            .await
            .unwrap()
            .into_inner();
        assert_eq!(answer.acceptor.unwrap().kind(), kind);
    }
    let mut notification = NotificationServiceClient::new(stack.notification());
    let entries = notification
        .list_service_entries(as_user(user, ListServiceEntriesRequest {}))
        .await;
    let entries = entries.unwrap().into_inner();
    assert_eq!(
        (
            entries.customer_service.len(),
            entries.recharge_customer_service.len()
        ),
        (2, 1)
    );
    eventually("notices have come", || {
        let mut notification = notification.clone();
        let message = as_user(user, ListNotificationsRequest::default());
        async move {
            notification
                .list_notifications(message)
                .await
                .unwrap()
                .into_inner()
                .items
                .len()
                >= 3
        }
    })
    .await;
}

/// The numbered keys are unused: the first and the last open an account.
async fn check_keys(stack: &Stack) {
    for number in [1, 20] {
        let message = RegisterRequest {
            username: format!("visitor-{number}"),
            password: "correct horse battery".to_owned(),
            license_key: format!("DEMO-LICENSE-{number:04}"),
            older_form: true,
            ..RegisterRequest::default()
        };
        AuthServiceClient::new(stack.auth())
            .register(anonymous(message))
            .await
            .unwrap();
    }
}
