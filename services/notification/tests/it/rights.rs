//! What the service's own login may do with its tables.

use adfolio_testkit::assert_rights;

#[tokio::test]
async fn the_services_login_rewrites_no_books_and_changes_no_table() {
    let books = ["messages", "content_versions", "content_version_parts"];
    assert_rights(&adfolio_notification::SCHEMA, &books).await;
}
