//! What the service's own login may do with its tables.

use adfolio_testkit::assert_rights;

#[tokio::test]
async fn the_services_login_rewrites_no_books_and_changes_no_table() {
    assert_rights(
        &adfolio_wallet::SCHEMA,
        &[
            "transactions",
            "closed_exchanges",
            "lone_postings",
            "published_heads",
            "published_subtrees",
            "checkpoints",
        ],
    )
    .await;
}
