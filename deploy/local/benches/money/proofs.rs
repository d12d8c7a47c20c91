//! The speed of verifying the books, with the data of the measurements in them.

use std::time::{Duration, Instant};

use adfolio_kit::{
    client::outgoing,
    identity::{Caller, StaffRole},
};
use adfolio_local::{Service, Stack};
use adfolio_proto::wallet::v1::{
    ReconcileRequest, VerifyChainsRequest, wallet_admin_service_client::WalletAdminServiceClient,
};
use tonic::Request;
use uuid::Uuid;

use crate::results::Results;

/// Limit of either proof.
const LIMIT: Duration = Duration::from_mins(10);

/// How many transactions a second are verified and reconciled.
pub async fn run(stack: &Stack, results: &mut Results) {
    let mut wallet = WalletAdminServiceClient::connect(stack.grpc_url(Service::Wallet))
        .await
        .unwrap();
    // It finds wallets that were given money without a posting, and orders without plan; that costs
    // the same.
    let begun = Instant::now();
    let request = as_staff(VerifyChainsRequest::default());
    let verified = wallet.verify_chains(request).await.unwrap().into_inner();
    let transactions = verified.transactions as f64;
    let per_second = transactions / begun.elapsed().as_secs_f64();
    results.add_once("books.transactions", transactions);
    results.add_once("books.verified_per_second", per_second);
    let begun = Instant::now();
    wallet
        .reconcile(as_staff(ReconcileRequest {}))
        .await
        .unwrap();
    let per_second = transactions / begun.elapsed().as_secs_f64();
    results.add_once("books.reconciled_per_second", per_second);
}

fn as_staff<T>(message: T) -> Request<T> {
    let staff = Caller::staff(Uuid::nil(), StaffRole::Admin);
    outgoing(&staff, message, LIMIT)
}
