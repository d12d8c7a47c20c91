//! What support and operators write with `adfolioctl notice` and `adfolioctl content`.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::helpers::{Ended, Stack};

fn one(ended: &Ended) -> Value {
    assert_eq!(ended.code, 0, "{ended:?}");
    serde_json::from_str(&ended.output).unwrap()
}

fn items(ended: &Ended) -> Vec<Value> {
    one(ended)["items"].as_array().unwrap().clone()
}

fn write(folder: &TempDir, name: &str, content: &Value) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, content.to_string()).unwrap();
    Path::display(&path).to_string()
}

#[tokio::test]
async fn what_is_scheduled_is_listed_and_withdrawn_once() {
    let stack = Stack::start().await;
    let folder = tempfile::tempdir().unwrap();
    let later = chrono::Utc::now() + chrono::TimeDelta::days(2);
    let notice = json!({
        "category": "activity", "to": "all", "title": {"en": "Offer"}, "content": {"en": "Ten percent more."},
        "publish_at": later,
    });
    let file = write(&folder, "notice.json", &notice);
    let created = one(&stack.run(&["notice", "create", &file, "--json"]).await);
    assert_eq!(
        (&created["recipients"], &created["state"]),
        (&json!("all"), &json!("scheduled"))
    );
    let id = created["id"].as_str().unwrap();
    let list = ["notice", "list", "--state", "scheduled", "--json"];
    let listed = items(&stack.run(&list).await);
    assert_eq!(
        (&listed[0]["id"], &listed[0]["title"], &listed[0]["to"]),
        (&json!(id), &json!("Offer"), &json!("all"))
    );
    assert!(
        stack
            .run(&["notice", "list"])
            .await
            .output
            .starts_with("ID ")
    );

    // Staff say why.
    assert_eq!(stack.run(&["notice", "withdraw", id]).await.code, 2);
    let withdraw = ["notice", "withdraw", id, "--reason", "postponed", "--json"];
    let withdrawn = one(&stack.run(&withdraw).await);
    assert_eq!(withdrawn["state"], "withdrawn");
    assert!(
        withdrawn["reason"]
            .as_str()
            .unwrap()
            .starts_with("postponed")
    );
    assert!(items(&stack.run(&list).await).is_empty());
    let again = stack.run(&withdraw).await;
    assert_eq!(again.code, 1, "{again:?}");
    assert!(again.errors.contains("NOTHING_CHANGED"), "{again:?}");
}

#[tokio::test]
async fn an_old_version_of_the_texts_is_restored_in_part() {
    let stack = Stack::start().await;
    let folder = tempfile::tempdir().unwrap();
    let set = async |name: &str, change: &dyn Fn(&mut Value)| {
        let mut content = one(&stack.run(&["content", "get"]).await);
        change(&mut content);
        let file = write(&folder, name, &content);
        one(&stack.run(&["content", "set", &file, "--json"]).await)
    };
    let question =
        |text: &str| json!([{"title": {"en": text}, "content": {"en": "Under Wallet."}}]);
    let first = set("first.json", &|content| content["faq"] = question("Where?")).await;
    set("second.json", &|content| {
        content["faq"] = question("When?");
        content["marketing"] = json!({"headline": {"en": "Ads that earn"}});
    })
    .await;
    let version = first["version"].to_string();

    let versions = items(&stack.run(&["content", "versions", "--json"]).await);
    assert_eq!(versions[1]["version"], first["version"]);
    assert_eq!(versions[1]["parts"], "faq");
    assert!(versions[0]["parts"].as_str().unwrap().contains("marketing"));

    let restore = [
        "content", "restore", &version, "--part", "faq", "--reason", "wrong", "--json",
    ];
    let restored = one(&stack.run(&restore).await);
    let content = one(&stack.run(&["content", "get"]).await);
    assert_eq!(content["faq"][0]["title"]["en"], "Where?");
    // The other part stays.
    assert_eq!(content["marketing"]["headline"]["en"], "Ads that earn");
    let versions = items(&stack.run(&["content", "versions", "--json"]).await);
    assert_eq!(
        (&versions[0]["version"], &versions[0]["restored"]),
        (&restored["version"], &first["version"])
    );
    let unknown = ["content", "restore", "999", "--reason", "wrong"];
    let unknown = stack.run(&unknown).await;
    assert_eq!(unknown.code, 1, "{unknown:?}");
    assert!(unknown.errors.contains("NOT_FOUND"), "{unknown:?}");
}
