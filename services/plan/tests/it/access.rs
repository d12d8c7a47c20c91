//! Who may do what.

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::Reason;
use adfolio_proto::plan::v1::*;

use crate::helpers::{Plan, *};

#[tokio::test]
async fn somebody_elses_plan_answers_like_an_unknown_one() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let owner = stack.user_with(10_000).await;
    let thief = stack.user_with(10_000).await;
    let plan = stack.put(&owner, &product, 1_000).await.unwrap();
    let pushed = stack.push(&product, &[&owner]).await.remove(0).plan_id;
    let unknown = "00000000-0000-7000-8000-000000000000";
    for id in [plan.id.as_str(), unknown, "no id"] {
        assert_eq!(
            why(stack.plan_of(&thief, id).await),
            (Reason::NotFound, Some("id".into()))
        );
    }
    for id in [pushed.as_str(), unknown, "no id"] {
        let expected = (Reason::NotFound, Some("plan_id".into()));
        assert_eq!(
            why(stack.put_request(&thief, put_plan(id, 1_000)).await),
            expected
        );
    }
    assert_eq!(
        stack.money(&thief).await,
        Money {
            available: 10_000,
            ..Money::default()
        }
    );
    assert!(stack.list(&thief).await.items.is_empty());
}

#[tokio::test]
async fn users_are_no_staff_and_staff_no_users() {
    let stack = Plan::spawn().await;
    let product_request = || CreateProductRequest {
        product: Some(product("Runner")),
    };
    for (caller, expected) in [
        (user(), Reason::NotAuthenticated),
        (Caller::system(), Reason::NotAuthenticated),
        (staff(StaffRole::Support), Reason::Forbidden),
        (staff(StaffRole::Finance), Reason::Forbidden),
    ] {
        let answer = stack
            .staff()
            .create_product(call(&caller, product_request()))
            .await
            .map_err(refused);
        assert_eq!(why(answer).0, expected);
        let request = FinishPlanRequest {
            plan_id: "x".into(),
            outcome: 1,
            reason: String::new(),
        };
        assert_eq!(
            why(stack
                .staff()
                .finish_plan(call(&caller, request))
                .await
                .map_err(refused))
            .0,
            expected
        );
        let request = SettlePlanRequest {
            plan_id: "x".into(),
        };
        assert_eq!(
            why(stack
                .staff()
                .settle_plan(call(&caller, request))
                .await
                .map_err(refused))
            .0,
            expected
        );
        let import = stack
            .try_import(&caller, ImportFormat::Csv, "net", "{}", b"")
            .await;
        assert_eq!(why(import).0, expected);
    }
    let answer = stack
        .users()
        .list_plans(call(&operator(), ListPlansRequest::default()))
        .await
        .map_err(refused);
    assert_eq!(why(answer).0, Reason::NotAuthenticated);
    let support = staff(StaffRole::Support);
    stack
        .staff()
        .admin_list_plans(call(&support, AdminListPlansRequest::default()))
        .await
        .unwrap();
    let admin = staff(StaffRole::Admin);
    stack
        .staff()
        .create_product(call(&admin, product_request()))
        .await
        .unwrap();
}
