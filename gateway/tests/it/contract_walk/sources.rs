//! Registered sources of reports, and files that they sign.

use adfolio_testkit::TestSigner;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::Walk;
use crate::stack::Reply;

const SOURCE: &str = "walk-signed";

/// Its plan is unknown, so it brings nothing.
const FILE: &str = "report_id,plan_number,time,impressions,clicks,spend,revenue\n\
                    1,NONE,2026-11-20T09:00:00Z,100,5,1.00,2.00\n";

pub async fn walk(walk: &Walk) {
    let signer = TestSigner::new(7);
    let save = |channels: Value| {
        let body = json!({"source": SOURCE, "channels": channels, "reason": "agreed"});
        walk.staff("/admin/source/save", body)
    };
    let add = |source: &str| {
        let body = json!({"source": source, "public_key": signer.public_key_pem()});
        walk.staff("/admin/source/key/add", body)
    };
    let revoke = || {
        let body = json!({"kid": signer.kid(), "reason": "rotation"});
        walk.staff("/admin/source/key/revoke", body)
    };
    let data = save(json!([])).await.refused(400, "VALIDATION");
    assert_eq!(data["field"], "channels");
    save(json!(["post"])).await.refused(400, "VALIDATION");
    add(SOURCE).await.refused(405, "NOT_FOUND");
    save(json!(["file"])).await.ok();
    revoke().await.refused(405, "NOT_FOUND");
    let source = add(SOURCE).await.ok();
    assert_eq!(source["channels"], json!(["file"]));
    assert_eq!(add(SOURCE).await.ok(), source);

    for bad in [None, Some("no base64".to_owned()), Some("AAAA".to_owned())] {
        let data = import(walk, bad).await.refused(400, "VALIDATION");
        assert_eq!(data["field"], "signature");
    }
    let digest = hex::encode(Sha256::digest(FILE));
    let message = format!("adfolio-delivery-1\n{SOURCE}\n{digest}\n");
    let signature = BASE64_STANDARD.encode(signer.sign_message(message.as_bytes()));
    let imported = import(walk, Some(signature)).await.ok();
    assert_eq!(
        (&imported["signed_by"], &imported["notable"][0]["rule"]),
        (&json!(signer.kid()), &json!("new_key"))
    );

    revoke().await.ok();
    revoke().await.refused(400, "NOTHING_CHANGED");
    let listed = walk.staff_get("/admin/source/list").await;
    assert!(listed["items"][0]["keys"][0]["revoked_at"].is_string());
}

async fn import(walk: &Walk, signature: Option<String>) -> Reply {
    let mut form = Form::new().text("source", SOURCE).text("mapping", "{}");
    if let Some(signature) = signature {
        form = form.text("signature", signature);
    }
    let form = form.part("file", Part::text(FILE).file_name("reports.csv"));
    walk.stack
        .post_form("/admin/delivery/import", &walk.admin, form)
        .await
}
