//! The hash chain of the audit log: every entry is in it, and a change behind auth's back is found.

use adfolio_kit::identity::StaffRole as Role;
use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::staff_directory_service_client::StaffDirectoryServiceClient;
use adfolio_proto::auth::v1::{
    GetAuditSealRequest, GetAuditSealResponse, SetUserProfileRequest, VerifyAuditLogRequest,
    VerifyAuditLogResponse,
};
use adfolio_testkit::{eventually, tamper};
use sqlx::PgPool;
use tonic::Status;

use crate::helpers::{Auth, anonymous, as_staff, reason, support, user_id};

/// More than one batch of sealing and more than one page of a verification in debug builds.
const ENTRIES: i32 = 12;

async fn verify(auth: &Auth) -> VerifyAuditLogResponse {
    let request = as_staff(Role::Admin, VerifyAuditLogRequest {});
    auth.admin()
        .verify_audit_log(request)
        .await
        .unwrap()
        .into_inner()
}

async fn seal(auth: &Auth, sequence: i64) -> Result<GetAuditSealResponse, Status> {
    let mut directory = StaffDirectoryServiceClient::new(auth.channel());
    let request = anonymous(GetAuditSealRequest { sequence });
    Ok(directory.get_audit_seal(request).await?.into_inner())
}

/// The verification once all changes of the score are in the log, and the whole log in the chain.
async fn sealed(auth: &Auth) -> VerifyAuditLogResponse {
    let pool = auth.db.pool();
    eventually("every entry is in the chain", async || {
        let (entries, changes): (i64, i64) = sqlx::query_as(
            "SELECT count(*), count(*) FILTER (WHERE action = 'auth.set_user_profile') FROM audit_log",
        )
        .fetch_one(&pool)
        .await
        .unwrap();
        let found = verify(auth).await;
        let is_whole = (found.entries, found.waiting) == (entries, 0);
        (is_whole && changes == i64::from(ENTRIES)).then_some(found)
    })
    .await
}

#[tokio::test]
async fn every_entry_is_sealed_once_and_a_change_is_found() {
    let auth = Auth::builder().replicas(2).spawn().await;
    assert_eq!(reason(seal(&auth, 0).await), Reason::NotFound);
    let id = user_id(&auth.register("ann").await).to_owned();
    for credit_score in 1..=ENTRIES {
        let message = SetUserProfileRequest {
            user_id: id.clone(),
            credit_score: Some(credit_score),
            ..SetUserProfileRequest::default()
        };
        auth.admin()
            .set_user_profile(support(message))
            .await
            .unwrap();
    }
    let found = sealed(&auth).await;
    let entries = found.entries;
    assert_eq!((found.sequence, found.broken_sequence), (entries, 0));
    for sequence in [0, entries] {
        let newest = seal(&auth, sequence).await.unwrap();
        assert_eq!((newest.sequence, newest.broken_sequence), (entries, 0));
        assert_eq!(hex::encode(newest.hash), found.hash);
    }
    assert_eq!(seal(&auth, 5).await.unwrap().sequence, 5);
    let beyond = seal(&auth, entries + 1).await.unwrap();
    assert_eq!(beyond.broken_sequence, entries + 1);

    let pool = auth.db.pool();
    sqlx::raw_sql(
        "CREATE TABLE kept AS TABLE audit_log; CREATE TABLE kept_seals AS TABLE audit_seals",
    )
    .execute(&pool)
    .await
    .unwrap();
    let at = "id = (SELECT entry_id FROM audit_seals WHERE seq = 4)";
    for (column, value) in [
        ("reason", "'another'"),
        ("staff_id", "gen_random_uuid()"),
        ("user_id", "NULL"),
        ("action", "'auth.other'"),
        ("target", "'other'"),
        ("acted_at", "acted_at + interval '1 microsecond'"),
        ("request_id", "'other'"),
        ("before_json", "'{}'"),
        ("after_json", "'{}'"),
    ] {
        let statement = format!("UPDATE audit_log SET {column} = {value} WHERE {at}");
        tamper(&pool, &statement).await;
        let found = verify(&auth).await;
        assert_eq!(
            (found.broken_sequence, found.detail.as_str()),
            (4, "hash does not fit"),
            "{column}"
        );
        assert_eq!(seal(&auth, entries).await.unwrap().broken_sequence, 4);
        restore(&pool).await;
    }
    tamper(&pool, &format!("DELETE FROM audit_log WHERE {at}")).await;
    let found = verify(&auth).await;
    assert_eq!(
        (found.broken_sequence, found.detail.as_str()),
        (4, "entry is missing")
    );
    restore(&pool).await;
    tamper(&pool, "DELETE FROM audit_seals WHERE seq = 6").await;
    assert_eq!(verify(&auth).await.broken_sequence, 6);
    restore(&pool).await;
    // A chain cut at its end holds by itself: only what was published tells.
    let cut = format!("DELETE FROM audit_seals WHERE seq = {entries}");
    tamper(&pool, &cut).await;
    assert_eq!(verify(&auth).await.broken_sequence, 0);
    let published = seal(&auth, entries).await.unwrap();
    assert_eq!(published.broken_sequence, entries);
    restore(&pool).await;
    assert_eq!(verify(&auth).await.broken_sequence, 0);

    let finance = as_staff(Role::Finance, VerifyAuditLogRequest {});
    let refused = auth.admin().verify_audit_log(finance).await;
    assert_eq!(reason(refused), Reason::Forbidden);
}

async fn restore(pool: &PgPool) {
    for statement in [
        "DELETE FROM audit_log",
        "INSERT INTO audit_log SELECT * FROM kept",
        "DELETE FROM audit_seals",
        "INSERT INTO audit_seals SELECT * FROM kept_seals",
    ] {
        tamper(pool, statement).await;
    }
}
