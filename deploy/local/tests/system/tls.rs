//! A whole stack over mutual TLS: everything works, and no service can call what the policy does
//! not allow.

use adfolio_kit::client::{Channel, ClientOptions, connect, connect_to, outgoing};
use adfolio_kit::config::TlsArgs;
use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_local::{Service, Stack};
use adfolio_proto::wallet::v1::ledger_service_client::LedgerServiceClient;
use adfolio_proto::wallet::v1::wallet_admin_service_client::WalletAdminServiceClient;
use adfolio_proto::wallet::v1::{DepositRequest, HoldRequest};
use adfolio_testkit::eventually;
use lapin::options::BasicPublishOptions;
use lapin::{BasicProperties, Connection, ConnectionProperties};
use serde_json::json;
use tonic::{Code, Status};
use uuid::Uuid;

use crate::setup::System;

const CALL_LIMIT: std::time::Duration = std::time::Duration::from_secs(10);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn services_know_each_other_and_nobody_else_moves_money() {
    let system = System::start_from(
        Stack::builder()
            .tls(true)
            .without_four_eyes()
            .without_second_factor(),
    )
    .await;
    let product_id = system.product("Sealed").await;
    let advertiser = system.advertiser("sealed").await;
    system.deposit(&advertiser.id, "100.00").await;
    let put = json!({"product_id": product_id, "amount": "40.00"});
    let plan = advertiser
        .client
        .post_keyed("/plan/order/put", "sealed", put)
        .await
        .ok();
    assert_eq!(plan["status"], "matching");

    let url = system.stack.grpc_url(Service::Wallet);
    let clear = url.replace("https", "http");
    let in_the_clear = connect(&clear, ClientOptions::default()).unwrap();
    assert_eq!(
        deposit(in_the_clear, &advertiser.id).await.code(),
        Code::Unavailable
    );
    // Coupon may not call the wallet; plan may hold money but not credit it.
    let coupon = channel_as(&system.stack, "coupon");
    assert_eq!(
        deposit(coupon.clone(), &advertiser.id).await.code(),
        Code::PermissionDenied
    );
    assert_eq!(
        hold(coupon, &advertiser.id).await.code(),
        Code::PermissionDenied
    );
    let plan = channel_as(&system.stack, "plan");
    assert_eq!(
        deposit(plan, &advertiser.id).await.code(),
        Code::PermissionDenied
    );
    let gateway = channel_as(&system.stack, "gateway");
    // Its certificate may call the method, but makes nobody an admin.
    assert_eq!(
        deposit(gateway.clone(), &advertiser.id).await.code(),
        Code::Unauthenticated
    );
    assert_eq!(
        hold(gateway, &advertiser.id).await.code(),
        Code::PermissionDenied
    );

    let property = advertiser.client.get("/user/property").await.ok();
    assert_eq!(property["available_funds"], "60.00");
    assert_eq!(property["to_be_consumed"], "40.00");
    // Wallet reads the books of plan and coupon.
    system.assert_reconciled().await;
    operate(&system.stack, &["wallet", "verify"]).await;
    a_dead_letter_is_sent_back(&system.stack).await;
    system.stack.stop().await;
}

/// The output of adfolioctl, with its own certificate and its own user at the broker.
async fn operate(stack: &Stack, arguments: &[&str]) -> String {
    let mut command = stack.operator_command().unwrap();
    let done = command.args(arguments).output().await.unwrap();
    assert!(done.status.success(), "{arguments:?}: {done:?}");
    String::from_utf8(done.stdout).unwrap()
}

/// A message that is no event is dead-lettered at coupon, and redriven from there.
async fn a_dead_letter_is_sent_back(stack: &Stack) {
    let connection = Connection::connect(stack.amqp_url(), ConnectionProperties::default())
        .await
        .unwrap();
    let channel = connection.create_channel().await.unwrap();
    let (options, properties) = (BasicPublishOptions::default(), BasicProperties::default());
    channel
        .basic_publish(
            "".into(),
            "adfolio.coupon.plans.2".into(),
            options,
            b"no event",
            properties,
        )
        .await
        .unwrap();
    eventually("the letter is dead", || async {
        let letters = operate(stack, &["dead", "list", "coupon.plans"]).await;
        letters.contains("adfolio.coupon.plans")
    })
    .await;
    let told = operate(stack, &["dead", "redrive", "coupon.plans"]).await;
    assert!(told.contains("sent 1 back"), "{told}");
}

/// A channel to wallet with the certificate of another program.
fn channel_as(stack: &Stack, name: &str) -> Channel {
    let files = stack.tls_files(name).unwrap();
    let tls = TlsArgs {
        tls_cert_file: Some(files.certificate),
        tls_key_file: Some(files.key),
        tls_ca_file: Some(files.authority),
    };
    let (url, options) = (stack.grpc_url(Service::Wallet), ClientOptions::default());
    let tls = tls.load().unwrap();
    connect_to("wallet", &url, options, tls.as_ref()).unwrap()
}

/// The reason for refusing a deposit requested as an admin.
async fn deposit(channel: Channel, user_id: &str) -> Status {
    let caller =
        Caller::staff(Uuid::now_v7(), StaffRole::Admin).with_key(Some("not-mine".parse().unwrap()));
    let message = DepositRequest {
        user_id: user_id.to_owned(),
        amount_minor: 100_000,
        ..DepositRequest::default()
    };
    let request = outgoing(&caller, message, CALL_LIMIT);
    WalletAdminServiceClient::new(channel)
        .deposit(request)
        .await
        .unwrap_err()
}

/// The reason for refusing a hold for an order.
async fn hold(channel: Channel, user_id: &str) -> Status {
    let message = HoldRequest {
        order_id: Uuid::now_v7().to_string(),
        user_id: user_id.to_owned(),
        ..HoldRequest::default()
    };
    let request = outgoing(&Caller::system(), message, CALL_LIMIT);
    LedgerServiceClient::new(channel)
        .hold(request)
        .await
        .unwrap_err()
}
