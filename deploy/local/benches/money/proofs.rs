//! How fast the books prove themselves, with what was measured before in them.

use std::time::Instant;

use adfolio_local::{Service, Stack};
use adfolio_proto::wallet::v1::{
    ReconcileRequest, VerifyChainsRequest, wallet_admin_service_client::WalletAdminServiceClient,
};

/// Prints how many transactions a second are verified and reconciled.
pub async fn run(stack: &Stack) {
    let mut wallet = WalletAdminServiceClient::connect(stack.grpc_url(Service::Wallet))
        .await
        .unwrap();
    let begun = Instant::now();
    let request = VerifyChainsRequest::default();
    let verified = wallet.verify_chains(request).await.unwrap().into_inner();
    let transactions = verified.transactions as f64;
    println!(
        "{} chains of {transactions} transactions verified at {:.0}/s, {} broken",
        verified.users,
        transactions / begun.elapsed().as_secs_f64(),
        verified.broken.len(),
    );
    let begun = Instant::now();
    wallet.reconcile(ReconcileRequest {}).await.unwrap();
    println!(
        "the same transactions reconciled at {:.0}/s",
        transactions / begun.elapsed().as_secs_f64(),
    );
}
