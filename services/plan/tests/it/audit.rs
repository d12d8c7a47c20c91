//! What staff do is announced, with what stood before and after.

use adfolio_proto::events::v1::StaffActed;
use adfolio_proto::plan::v1::*;

use crate::helpers::{Plan, *};

const TYPE: &str = "adfolio.plan.v1.StaffActed";

#[tokio::test]
async fn every_act_of_staff_is_announced_once() {
    let stack = Plan::spawn().await;
    let probe = stack.broker.probe(&[TYPE]).await;
    let product = stack.product().await;
    let dearer = Product {
        put_min_minor: 2_000,
        ..product.clone()
    };
    let request = EditProductRequest {
        product: Some(dearer),
    };
    stack
        .staff()
        .edit_product(call(&operator(), request))
        .await
        .unwrap();
    let request = CreateOperatorRequest {
        name: "Guide".into(),
    };
    stack
        .staff()
        .create_operator(call(&operator(), request))
        .await
        .unwrap();
    let caller = stack.user_with(100_000).await;
    stack.push(&product, &[&caller]).await;
    let plan = stack.put(&caller, &product, 5_000).await.unwrap();
    let file = format!(
        "report_id,plan_number,time,impressions,clicks,spend,revenue\n1,{},2026-11-20T09:00:00Z,10,1,1.00,2.00\n",
        plan.plan_number
    );
    stack.import("network-a", "{}", &file).await;
    stack
        .finish(&plan.id, FinishOutcome::PutFinished)
        .await
        .unwrap();
    stack.settle(&plan.id).await.unwrap();
    // Settled already: nothing changes, so there is no entry.
    stack.settle(&plan.id).await.unwrap();
    let mut acts: Vec<StaffActed> = probe
        .wait_for(TYPE, 10)
        .await
        .iter()
        .map(|event| event.data().unwrap())
        .collect();
    acts.sort_by_key(|act| act.action.clone());
    let actions: Vec<&str> = acts.iter().map(|act| act.action.as_str()).collect();
    assert_eq!(
        actions,
        [
            "plan.create_operator",
            "plan.create_product",
            "plan.edit_product",
            "plan.finish",
            "plan.import_applied",
            "plan.import_delivery",
            "plan.push",
            "plan.release_delivery",
            "plan.settle",
            "plan.settlement_requested"
        ]
    );
    let edited = &acts[2];
    assert_eq!(edited.target, product.id);
    assert!(
        edited.before_json.contains("\"put_min\":\"10.00\""),
        "{edited:?}"
    );
    assert!(
        edited.after_json.contains("\"put_min\":\"20.00\""),
        "{edited:?}"
    );
    let finished = &acts[3];
    assert_eq!(finished.user_id, user_id(&caller).as_str());
    assert_eq!(finished.reason, "by hand");
    assert!(finished.before_json.contains("putting"), "{finished:?}");
}
