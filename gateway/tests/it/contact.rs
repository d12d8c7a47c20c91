//! Contact data of users, as each role of staff gets it over the API.

use adfolio_kit::identity::StaffRole;
use serde_json::json;

use crate::stack::Stack;

#[tokio::test]
async fn staff_without_need_get_contact_data_masked() {
    let stack = Stack::start().await;
    let admin = stack.admin().await;
    let (user, token) = stack.user(&admin).await;
    let full = (json!("ada@example.com"), json!("+4915112345678"));
    let masked = (json!("a****@example.com"), json!("+49****678"));
    for (role, expected) in [
        (StaffRole::Support, &full),
        (StaffRole::Finance, &masked),
        (StaffRole::Operator, &masked),
    ] {
        let staff = stack.staff(&admin, role).await;
        let body = json!({"id": user});
        let one = stack.post("/admin/user/detail", &staff, &body).await.ok();
        let path = format!("/admin/user/list?query={user}");
        let page = stack.get(&path, &staff).await.ok();
        for shown in [&one, &page["items"][0]] {
            let contact = (shown["email"].clone(), shown["phone"].clone());
            assert_eq!(contact, *expected, "{role:?}");
        }
        let search = stack.get("/admin/user/list?query=ada%40example.com", &staff);
        let search = search.await;
        if *expected == full {
            assert_eq!(search.ok()["items"][0]["id"], json!(user));
        } else {
            search.refused(403, "FORBIDDEN");
        }
    }
    // The looks are in the log before the answers, and the user hears of none.
    let path = format!("/admin/audit/list?user_id={user}&action=auth.read_user");
    let looks = stack.get(&path, &admin).await.ok();
    assert_eq!(looks["items"].as_array().unwrap().len(), 1);
    assert_ne!(looks["items"][0]["request_id"], "");
    let own = stack.get("/user/security/log", &token).await.ok();
    assert_eq!(own["items"], json!([]));
    let profile = stack.get("/user/info", &token).await.ok();
    assert_eq!((profile["email"].clone(), profile["phone"].clone()), full);
}
