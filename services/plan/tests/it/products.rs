//! Products and operators.

use adfolio_kit::refusal::Reason;
use adfolio_proto::common::v1::PageRequest;
use adfolio_proto::plan::v1::*;

use crate::helpers::{Plan, *};

#[tokio::test]
async fn a_product_is_created_edited_and_listed_newest_first() {
    let stack = Plan::spawn().await;
    let first = stack.product().await;
    let second = stack
        .create_product(&operator(), product("Jumper"))
        .await
        .unwrap();
    let edited = Product {
        description: "Jump".into(),
        put_min_minor: 2_000,
        ..second.clone()
    };
    let request = EditProductRequest {
        product: Some(edited.clone()),
    };
    let answer = stack
        .staff()
        .edit_product(call(&operator(), request))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(answer.product, Some(edited.clone()));

    let page = |cursor: &str| {
        Some(PageRequest {
            cursor: cursor.into(),
            limit: 1,
        })
    };
    let reader = user();
    let request = ListProductsRequest { page: page("") };
    let newest = stack
        .users()
        .list_products(call(&reader, request))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(newest.items, [edited]);
    let request = ListProductsRequest {
        page: page(&newest.next_cursor),
    };
    let oldest = stack
        .users()
        .list_products(call(&reader, request))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(oldest.items, vec![first]);
    assert_eq!(oldest.next_cursor, "");
}

#[tokio::test]
async fn a_range_that_is_none_is_refused_and_an_unknown_product_is_not_found() {
    let stack = Plan::spawn().await;
    let wrong = Product {
        put_min_minor: 500,
        put_max_minor: 400,
        ..product("Runner")
    };
    assert_eq!(
        why(stack.create_product(&operator(), wrong).await),
        (Reason::Validation, Some("put_max".into()))
    );
    let nameless = Product {
        name: "  ".into(),
        ..product("Runner")
    };
    assert_eq!(
        why(stack.create_product(&operator(), nameless).await),
        (Reason::Validation, Some("name".into()))
    );
    for id in ["no id", "00000000-0000-7000-8000-000000000000"] {
        let request = GetProductRequest {
            product_id: id.into(),
        };
        let answer = stack
            .users()
            .get_product(call(&user(), request))
            .await
            .map_err(refused);
        assert_eq!(why(answer), (Reason::NotFound, Some("product_id".into())));
    }
}

#[tokio::test]
async fn a_repeated_creation_with_one_key_is_one_product() {
    let stack = Plan::spawn().await;
    let staff = with_key(&operator(), "create-1");
    let first = stack
        .create_product(&staff, product("Runner"))
        .await
        .unwrap();
    assert_eq!(
        stack
            .create_product(&staff, product("Runner"))
            .await
            .unwrap(),
        first
    );
    assert_eq!(
        why(stack.create_product(&staff, product("Other")).await).0,
        Reason::IdempotencyKeyReused
    );
}

#[tokio::test]
async fn an_operator_has_a_name() {
    let stack = Plan::spawn().await;
    let request = CreateOperatorRequest {
        name: "North".into(),
    };
    let created = stack
        .staff()
        .create_operator(call(&operator(), request))
        .await
        .unwrap()
        .into_inner()
        .operator
        .unwrap();
    assert_eq!(created.name, "North");
    let listed = stack
        .staff()
        .list_operators(call(&operator(), ListOperatorsRequest::default()))
        .await
        .unwrap();
    assert_eq!(listed.into_inner().items, [created]);
    let request = CreateOperatorRequest {
        name: String::new(),
    };
    let answer = stack
        .staff()
        .create_operator(call(&operator(), request))
        .await
        .map_err(refused);
    assert_eq!(why(answer), (Reason::Validation, Some("name".into())));
}
