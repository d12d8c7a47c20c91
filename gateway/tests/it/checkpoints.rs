//! Checkpoints where none are made. Those that are made are in the contract's walk.

use axum::http::Method;

use crate::stack::Stack;

#[tokio::test]
async fn without_a_key_nothing_is_published_and_everything_else_works() {
    let stack = Stack::start().await;
    for (path, field) in [("/checkpoint", "checkpoint"), ("/checkpoint/key", "key")] {
        let reply = stack.send(stack.request(Method::GET, path, None)).await;
        assert_eq!(reply.refused(405, "NOT_FOUND")["field"], field);
    }
    let list = stack.send(stack.request(Method::GET, "/checkpoint/list", None));
    assert!(list.await.ok()["items"].as_array().unwrap().is_empty());
}
