//! Claims: two members of staff on one item see each other.

use std::collections::BTreeSet;
use std::time::Duration;

use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::{
    Claim, ClaimItemRequest, ClaimKind, ListClaimsRequest, ListClaimsResponse, ReleaseClaimRequest,
    Staff, StaffRole,
};
use adfolio_proto::common::v1::PageRequest;
use adfolio_testkit::eventually;
use tonic::Status;

use crate::helpers::{anonymous, reason, refusal};
use crate::office::{Office, by_staff};

const LEASE: Duration = Duration::from_mins(2);

impl Office {
    async fn claim(&self, by: &Staff, kind: ClaimKind, item: &str) -> Result<Claim, Status> {
        let message = ClaimItemRequest {
            kind: kind.into(),
            item_id: item.to_owned(),
        };
        let answer = self.auth.admin().claim_item(by_staff(by, message)).await?;
        Ok(answer.into_inner().claim.unwrap())
    }

    async fn release(&self, by: &Staff, kind: ClaimKind, item: &str) -> Result<(), Status> {
        let message = ReleaseClaimRequest {
            kind: kind.into(),
            item_id: item.to_owned(),
        };
        let request = by_staff(by, message);
        self.auth.admin().release_claim(request).await?;
        Ok(())
    }

    async fn claims(
        &self,
        by: &Staff,
        kind: ClaimKind,
        page: PageRequest,
    ) -> Result<ListClaimsResponse, Status> {
        let message = ListClaimsRequest {
            kind: kind.into(),
            page: Some(page),
        };
        let request = by_staff(by, message);
        Ok(self.auth.admin().list_claims(request).await?.into_inner())
    }

    async fn claimed(&self, kind: ClaimKind) -> Vec<(String, String)> {
        let page = PageRequest {
            limit: 100,
            ..PageRequest::default()
        };
        let page = self.claims(&self.ada, kind, page).await.unwrap();
        let claims = page.items.into_iter();
        claims
            .map(|claim| (claim.item_id, claim.staff_username))
            .collect()
    }

    async fn rows(&self) -> i64 {
        sqlx::query_scalar("SELECT count(*) FROM claims")
            .fetch_one(&self.auth.db.pool())
            .await
            .unwrap()
    }
}

#[tokio::test]
async fn who_comes_second_is_told_who_was_first() {
    let office = Office::open().await;
    let (ada, bea) = (&office.ada, &office.bea);
    let kind = ClaimKind::Withdrawal;
    let first = office.claim(ada, kind, "w-1").await.unwrap();
    assert_eq!(
        (first.staff_id.as_str(), first.staff_username.as_str()),
        (ada.id.as_str(), "ada")
    );
    let told = office.claim(bea, kind, "w-1").await.unwrap();
    assert_eq!(told, first, "it is neither taken nor renewed");
    // Another item, and the same id of another kind, are free.
    for (kind, item) in [(kind, "w-2"), (ClaimKind::Approval, "w-1")] {
        let own = office.claim(bea, kind, item).await.unwrap();
        assert_eq!(own.staff_id, bea.id);
    }
    // Only its holder releases it, and once is enough.
    for by in [bea, ada, ada] {
        office.release(by, kind, "w-1").await.unwrap();
        let left = office.claimed(kind).await;
        let expected = if by.id == bea.id { 2 } else { 1 };
        assert_eq!(left.len(), expected, "{left:?}");
    }
    let taken = office.claim(bea, kind, "w-1").await.unwrap();
    assert_eq!(taken.staff_id, bea.id);
}

#[tokio::test]
async fn a_claim_that_is_renewed_stays_and_one_that_is_not_runs_out() {
    let office = Office::open().await;
    let (ada, bea) = (&office.ada, &office.bea);
    let kind = ClaimKind::Plan;
    let first = office.claim(ada, kind, "p").await.unwrap();
    office.auth.clock.advance(LEASE / 2);
    let renewed = office.claim(ada, kind, "p").await.unwrap();
    assert_eq!(renewed.claimed_at, first.claimed_at);
    let seconds = |claim: &Claim| claim.expires_at.unwrap().seconds;
    assert_eq!(seconds(&renewed), seconds(&first) + 60);
    // The first lease would be over.
    office.auth.clock.advance(LEASE / 2);
    let told = office.claim(bea, kind, "p").await.unwrap();
    assert_eq!(told.staff_id, ada.id);
    office.auth.clock.advance(LEASE / 2);
    assert!(office.claimed(kind).await.is_empty());
    let taken = office.claim(bea, kind, "p").await.unwrap();
    assert_eq!(taken.staff_id, bea.id);
    assert_ne!(taken.claimed_at, first.claimed_at);
}

#[tokio::test]
async fn of_many_at_once_one_holds_it_and_all_are_told_the_same() {
    let office = Office::open().await;
    let people = [&office.ada, &office.bea];
    let claims = (0..20).map(|at| office.claim(people[at % 2], ClaimKind::User, "u"));
    let told = futures::future::join_all(claims).await;
    let holders: BTreeSet<String> = told
        .into_iter()
        .map(|told| told.unwrap().staff_id)
        .collect();
    assert_eq!(holders.len(), 1);
    assert_eq!(office.rows().await, 1);
}

#[tokio::test]
async fn claims_are_listed_page_by_page_and_swept_once_they_have_run_out() {
    let office = Office::open().await;
    let kind = ClaimKind::Content;
    for at in 0..5 {
        let item = format!("c-{at}");
        office.claim(&office.ada, kind, &item).await.unwrap();
    }
    let mut page = PageRequest {
        limit: 2,
        ..PageRequest::default()
    };
    let mut seen = Vec::new();
    loop {
        let answer = office.claims(&office.finn, kind, page).await.unwrap();
        seen.extend(answer.items.into_iter().map(|claim| claim.item_id));
        if answer.next_cursor.is_empty() {
            break;
        }
        page = PageRequest {
            limit: 2,
            cursor: answer.next_cursor,
        };
    }
    assert_eq!(seen, ["c-4", "c-3", "c-2", "c-1", "c-0"]);
    // The cursor is one of this list.
    let answer = office.claims(
        &office.ada,
        kind,
        PageRequest {
            limit: 2,
            ..PageRequest::default()
        },
    );
    let cursor = answer.await.unwrap().next_cursor;
    let other = office.claims(
        &office.ada,
        ClaimKind::User,
        PageRequest { limit: 2, cursor },
    );
    assert_eq!(refusal(other.await).field.as_deref(), Some("cursor"));
    office.auth.clock.advance(LEASE);
    assert_eq!(office.rows().await, 5);
    // A replica that starts prunes at once.
    let auth = office.auth.restart().await;
    let rows = async || {
        let count = sqlx::query_scalar::<_, i64>("SELECT count(*) FROM claims");
        count.fetch_one(&auth.db.pool()).await.unwrap()
    };
    eventually("they are gone", || async { rows().await == 0 }).await;
}

#[tokio::test]
async fn a_member_claims_what_the_role_may_see_and_no_more_than_fifty_items() {
    let office = Office::open().await;
    let finn = &office.finn;
    for kind in [
        ClaimKind::Withdrawal,
        ClaimKind::Approval,
        ClaimKind::ExchangeOrder,
        ClaimKind::BankLine,
        ClaimKind::Import,
        ClaimKind::Plan,
        ClaimKind::User,
        ClaimKind::Content,
    ] {
        office.claim(finn, kind, "x").await.unwrap();
        office.release(finn, kind, "x").await.unwrap();
    }
    let kind = ClaimKind::Feedback;
    let page = PageRequest::default();
    assert_eq!(
        reason(office.claim(finn, kind, "x").await),
        Reason::Forbidden
    );
    assert_eq!(
        reason(office.release(finn, kind, "x").await),
        Reason::Forbidden
    );
    assert_eq!(
        reason(office.claims(finn, kind, page).await),
        Reason::Forbidden
    );
    assert_eq!(finn.role(), StaffRole::Finance);
    for (kind, item, field) in [
        (ClaimKind::Unspecified, "x", "kind"),
        (ClaimKind::Plan, " ", "id"),
        (ClaimKind::Plan, "a\u{7}b", "id"),
        (ClaimKind::Plan, &"x".repeat(101), "id"),
    ] {
        let refused = refusal(office.claim(finn, kind, item).await);
        assert_eq!(
            (refused.reason, refused.field.as_deref()),
            (Reason::Validation, Some(field))
        );
    }
    let message = ClaimItemRequest {
        kind: ClaimKind::Plan.into(),
        item_id: "x".to_owned(),
    };
    let nobody = office.auth.admin().claim_item(anonymous(message)).await;
    assert_eq!(reason(nobody), Reason::NotAuthenticated);
    for at in 0..52 {
        let item = format!("p-{at}");
        office.claim(finn, ClaimKind::Plan, &item).await.unwrap();
    }
    let claimed = office.claimed(ClaimKind::Plan).await;
    assert_eq!(claimed.len(), 50);
    assert_eq!(claimed.last().unwrap().0, "p-2", "the oldest are gone");
}
