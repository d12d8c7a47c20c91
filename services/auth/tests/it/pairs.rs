//! Who is the second pair of eyes of whom: founders, lineage, confirmation, resets.

use std::time::Duration;

use adfolio_kit::client::outgoing;
use adfolio_kit::identity::{Caller, IdempotencyKey, StaffRole as Role};
use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::staff_directory_service_client::StaffDirectoryServiceClient;
use adfolio_proto::auth::v1::{
    CheckSecondPairRequest, ConfirmStaffRequest, CreateStaffRequest, CreateStaffResponse, Founder,
    SecondPair, Staff, StaffRole, StaffState,
};
use futures::future::join_all;
use serde_json::json;
use tonic::{Request, Status};
use uuid::Uuid;

use crate::helpers::{Auth, PASSWORD, anonymous, as_staff, reason, refusal};
use crate::office::{Office, by_staff, parsed};

const NIL: Uuid = Uuid::nil();

fn new(username: &str) -> CreateStaffRequest {
    CreateStaffRequest {
        username: username.to_owned(),
        password: PASSWORD.to_owned(),
        role: StaffRole::Admin.into(),
        second: None,
    }
}

fn two(first: &str, second: &str) -> CreateStaffRequest {
    CreateStaffRequest {
        second: Some(Founder {
            username: second.to_owned(),
            password: PASSWORD.to_owned(),
        }),
        ..new(first)
    }
}

async fn create(
    auth: &Auth,
    request: Request<CreateStaffRequest>,
) -> Result<CreateStaffResponse, Status> {
    let answer = auth.admin().create_staff(request).await?;
    Ok(answer.into_inner())
}

async fn made(auth: &Auth, by: &Staff, username: &str) -> Staff {
    let answer = create(auth, by_staff(by, new(username))).await.unwrap();
    answer.staff.unwrap()
}

async fn ask(auth: &Auth, asked_by: &str, decided_by: &str) -> SecondPair {
    let message = CheckSecondPairRequest {
        asked_by_id: asked_by.to_owned(),
        decided_by_id: decided_by.to_owned(),
    };
    let mut directory = StaffDirectoryServiceClient::new(auth.channel());
    let answer = directory.check_second_pair(anonymous(message)).await;
    answer.unwrap().into_inner().answer()
}

async fn confirm(auth: &Auth, by: &Staff, on: &Staff) -> Result<Staff, Status> {
    let message = ConfirmStaffRequest {
        staff_id: on.id.clone(),
        reason: "met her".to_owned(),
    };
    let answer = auth.admin().confirm_staff(by_staff(by, message)).await?;
    Ok(answer.into_inner().staff.unwrap())
}

/// Two founders.
struct Firm {
    auth: Auth,
    ada: Staff,
    bea: Staff,
}

impl Firm {
    async fn found() -> Self {
        let auth = Auth::spawn().await;
        let answer = create(&auth, anonymous(two("ada", "bea"))).await.unwrap();
        Self {
            auth,
            ada: answer.staff.unwrap(),
            bea: answer.second.unwrap(),
        }
    }

    fn a_day_later(&self) {
        self.auth.clock.advance(Duration::from_hours(24));
    }
}

#[tokio::test]
async fn two_founders_decide_for_each_other_from_the_start() {
    let Firm { auth, ada, bea } = Firm::found().await;
    assert_eq!(
        (ada.role(), bea.role()),
        (StaffRole::Admin, StaffRole::Admin)
    );
    assert_eq!((&*ada.made_by_id, &*bea.made_by_id), ("", ""));
    assert_eq!(ask(&auth, &ada.id, &bea.id).await, SecondPair::Yes);
    assert_eq!(ask(&auth, &bea.id, &ada.id).await, SecondPair::Yes);
    assert_eq!(ask(&auth, &ada.id, &ada.id).await, SecondPair::SamePerson);
}

#[tokio::test]
async fn founders_are_made_together_or_not_at_all() {
    let auth = Auth::spawn().await;
    // One name is taken by the other: neither account is made.
    let same = create(&auth, anonymous(two("ada", "Ada"))).await;
    assert_eq!(reason(same), Reason::UsernameTaken);
    let request = as_staff(Role::Admin, two("ada", "bea"));
    let founded = create(&auth, request).await.unwrap();
    let ada = founded.staff.unwrap();
    let late = create(&auth, by_staff(&ada, two("cleo", "dora"))).await;
    let refused = refusal(late);
    assert_eq!(
        (refused.reason, refused.field.as_deref()),
        (Reason::Validation, Some("second_username"))
    );
    let anybody = create(&auth, anonymous(two("cleo", "dora"))).await;
    assert_eq!(reason(anybody), Reason::NotAuthenticated);
    let bad = CreateStaffRequest {
        second: Some(Founder {
            username: "dora".to_owned(),
            password: "short".to_owned(),
        }),
        ..new("cleo")
    };
    let refused = refusal(create(&auth, by_staff(&ada, bad)).await);
    assert_eq!(refused.field.as_deref(), Some("second_password"));
    // Neither a refused request nor one of its names has left anything.
    made(&auth, &ada, "cleo").await;
    made(&auth, &ada, "dora").await;
}

#[tokio::test]
async fn of_many_who_found_at_once_one_pair_stays() {
    let auth = Auth::spawn().await;
    let names: Vec<String> = (0..8).map(|number| format!("founder{number}x")).collect();
    let all = names
        .chunks(2)
        .map(|pair| create(&auth, anonymous(two(&pair[0], &pair[1]))));
    let founded = join_all(all).await;
    assert_eq!(founded.iter().filter(|answer| answer.is_ok()).count(), 1);
    let count: i64 = sqlx::query_scalar("SELECT count(*) FROM staff")
        .fetch_one(&auth.db.pool())
        .await
        .unwrap();
    assert_eq!(count, 2);
}

#[tokio::test]
async fn a_keyed_founding_answers_both_again() {
    let auth = Auth::spawn().await;
    let key: IdempotencyKey = "founding".parse().unwrap();
    let caller = Caller::staff(Uuid::from_u128(5), Role::Admin).with_key(Some(key));
    let found = || outgoing(&caller, two("ada", "bea"), Duration::from_secs(30));
    let first = create(&auth, found()).await.unwrap();
    let again = create(&auth, found()).await.unwrap();
    assert_eq!(first, again);
    assert!(again.second.is_some());
}

#[tokio::test]
async fn an_account_decides_after_a_day_and_never_for_its_maker() {
    let firm = Firm::found().await;
    let (auth, ada, bea) = (&firm.auth, &firm.ada, &firm.bea);
    let cleo = made(auth, ada, "cleo").await;
    assert_eq!(cleo.made_by_id, ada.id);
    let dora = made(auth, &cleo, "dora").await;
    let finn = made(auth, ada, "finn").await;
    assert_eq!(ask(auth, &bea.id, &cleo.id).await, SecondPair::New);
    // It may ask at once.
    assert_eq!(ask(auth, &cleo.id, &bea.id).await, SecondPair::Yes);
    firm.a_day_later();
    for (asked, decided, answer) in [
        (bea, &cleo, SecondPair::Yes),
        (bea, &dora, SecondPair::Yes),
        (ada, &cleo, SecondPair::SamePerson),
        (&cleo, ada, SecondPair::SamePerson),
        (ada, &dora, SecondPair::SamePerson),
        (&dora, ada, SecondPair::SamePerson),
        (&cleo, &finn, SecondPair::SamePerson),
        (&dora, &finn, SecondPair::SamePerson),
    ] {
        let found = ask(auth, &asked.id, &decided.id).await;
        assert_eq!(found, answer, "{} for {}", decided.username, asked.username);
    }
    let nil = NIL.to_string();
    assert_eq!(ask(auth, &nil, &cleo.id).await, SecondPair::Yes);
    assert_eq!(ask(auth, &ada.id, &nil).await, SecondPair::NotActive);
    let office = Office::with(firm.auth, firm.ada, firm.bea, finn);
    let (auth, bea) = (&office.auth, &office.bea);
    office
        .set_state(bea, &cleo, StaffState::Disabled)
        .await
        .unwrap();
    assert_eq!(ask(auth, &bea.id, &cleo.id).await, SecondPair::NotActive);
    // What it has asked for is decided all the same.
    assert_eq!(ask(auth, &cleo.id, &bea.id).await, SecondPair::Yes);
    assert_eq!(office.listed(&dora).await.made_by_id, cleo.id);
}

#[tokio::test]
async fn who_resets_a_password_is_no_second_pair_for_three_days() {
    let firm = Firm::found().await;
    let cleo = made(&firm.auth, &firm.ada, "cleo").await;
    firm.a_day_later();
    let office = Office::with(firm.auth, firm.ada, firm.bea, cleo);
    let (auth, ada, bea, cleo) = (&office.auth, &office.ada, &office.bea, &office.finn);
    office.reset(ada, &bea.id).await.unwrap();
    for (asked, decided) in [(ada, bea), (bea, ada), (cleo, bea), (bea, cleo)] {
        let found = ask(auth, &asked.id, &decided.id).await;
        assert_eq!(found, SecondPair::SamePerson);
    }
    auth.clock.advance(Duration::from_hours(71));
    assert_eq!(ask(auth, &ada.id, &bea.id).await, SecondPair::SamePerson);
    auth.clock.advance(Duration::from_hours(1));
    assert_eq!(ask(auth, &ada.id, &bea.id).await, SecondPair::Yes);
    assert_eq!(ask(auth, &cleo.id, &bea.id).await, SecondPair::Yes);
}

#[tokio::test]
async fn who_sets_a_role_or_enables_is_no_second_pair_for_three_days() {
    let firm = Firm::found().await;
    let cleo = made(&firm.auth, &firm.ada, "cleo").await;
    let dora = made(&firm.auth, &firm.bea, "dora").await;
    firm.a_day_later();
    let office = Office::with(firm.auth, firm.ada, firm.bea, cleo);
    let (auth, ada, bea, cleo) = (&office.auth, &office.ada, &office.bea, &office.finn);
    assert_eq!(ask(auth, &ada.id, &dora.id).await, SecondPair::Yes);
    office
        .set_role(ada, &dora, StaffRole::Support)
        .await
        .unwrap();
    for (asked, decided) in [(ada, &dora), (&dora, ada), (cleo, &dora)] {
        let found = ask(auth, &asked.id, &decided.id).await;
        assert_eq!(found, SecondPair::SamePerson);
    }
    // What another admin does hides nothing of it.
    for state in [StaffState::Disabled, StaffState::Active] {
        office.set_state(bea, &dora, state).await.unwrap();
    }
    assert_eq!(ask(auth, &ada.id, &dora.id).await, SecondPair::SamePerson);
    auth.clock.advance(Duration::from_hours(72));
    assert_eq!(ask(auth, &ada.id, &dora.id).await, SecondPair::Yes);
    office
        .set_state(ada, &dora, StaffState::Disabled)
        .await
        .unwrap();
    office
        .set_state(ada, &dora, StaffState::Active)
        .await
        .unwrap();
    assert_eq!(ask(auth, &ada.id, &dora.id).await, SecondPair::SamePerson);
    auth.clock.advance(Duration::from_hours(72));
    assert_eq!(ask(auth, &ada.id, &dora.id).await, SecondPair::Yes);
}

#[tokio::test]
async fn another_person_confirms_an_account() {
    let firm = Firm::found().await;
    let (auth, ada, bea) = (&firm.auth, &firm.ada, &firm.bea);
    let (cleo, finn) = (made(auth, ada, "cleo").await, made(auth, ada, "finn").await);
    let gus = made(auth, bea, "gus").await;
    // Neither the maker, nor a puppet of the maker, nor a new account, nor oneself.
    for by in [ada, &finn, &gus, &cleo] {
        let refused = refusal(confirm(auth, by, &cleo).await);
        assert_eq!(refused.reason, Reason::Forbidden);
        let field = if by == &cleo { "staff_id" } else { "made_by" };
        assert_eq!(refused.field.as_deref(), Some(field));
    }
    firm.a_day_later();
    assert_eq!(reason(confirm(auth, &finn, &cleo).await), Reason::Forbidden);
    assert_eq!(ask(auth, &cleo.id, &finn.id).await, SecondPair::SamePerson);
    let confirmed = confirm(auth, &gus, &cleo).await.unwrap();
    assert_eq!(confirmed.confirmed_by_id, gus.id);
    for again in [&cleo, ada] {
        let refused = reason(confirm(auth, bea, again).await);
        assert_eq!(refused, Reason::NothingChanged);
    }
    assert_eq!(ask(auth, &cleo.id, &finn.id).await, SecondPair::Yes);
    assert_eq!(ask(auth, &ada.id, &cleo.id).await, SecondPair::SamePerson);
    let office = Office::with(firm.auth, firm.ada, firm.bea, finn);
    let entries = office.audited("auth.confirm_staff", 1).await;
    let entry = &entries[0];
    assert_eq!(
        (&*entry.staff_id, &*entry.target, &*entry.reason),
        (&*gus.id, &*cleo.id, "met her")
    );
    assert_eq!(parsed(&entry.after_json), json!({"made_by": office.ada.id}));
}

#[tokio::test]
async fn adfolioctl_confirms_what_it_did_not_make() {
    let firm = Firm::found().await;
    let auth = &firm.auth;
    let cleo = made(auth, &firm.ada, "cleo").await;
    let own = create(auth, as_staff(Role::Admin, new("otto")))
        .await
        .unwrap();
    let confirm = async |on: &Staff| {
        let message = ConfirmStaffRequest {
            staff_id: on.id.clone(),
            reason: "met her".to_owned(),
        };
        let request = as_staff(Role::Admin, message);
        auth.admin().confirm_staff(request).await
    };
    let refused = reason(confirm(&own.staff.unwrap()).await);
    assert_eq!(refused, Reason::Forbidden);
    confirm(&cleo).await.unwrap();
}

#[tokio::test]
async fn a_line_that_is_too_long_to_read_is_one_person() {
    let firm = Firm::found().await;
    let (auth, mut last) = (&firm.auth, firm.ada.clone());
    let grow =
        "INSERT INTO staff (id, username, username_key, password_hash, role, created_at, made_by)
                SELECT $1, $2, $2, '', 'admin', to_timestamp(0), $3";
    for number in 0..64_u128 {
        let (id, name) = (Uuid::from_u128(1_000 + number), format!("puppet{number}"));
        let maker: Uuid = last.id.parse().unwrap();
        let insert = sqlx::query(grow).bind(id).bind(&name).bind(maker);
        insert.execute(&auth.db.pool()).await.unwrap();
        last.id = id.to_string();
        let found = ask(auth, &firm.bea.id, &last.id).await;
        let expected = if number < 63 {
            SecondPair::Yes
        } else {
            SecondPair::SamePerson
        };
        assert_eq!(found, expected, "after {number}");
    }
}
