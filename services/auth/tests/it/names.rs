//! Names that look like another, names and passwords from before there were rules, and who learns which names exist.

use adfolio_kit::identity::StaffRole;
use adfolio_kit::password::{HashQueue, phc, random_salt};
use adfolio_kit::refusal::{Reason, Refusal, Rule};
use adfolio_proto::auth::v1::{
    CreateStaffRequest, EditProfileRequest, RegisterRequest, StaffRole as Role, User,
};
use adfolio_testkit::eventually;
use argon2::Params;
use sqlx::PgPool;
use tonic::Status;
use uuid::Uuid;

use crate::helpers::{Auth, PASSWORD, as_staff, as_user, reason, refusal, registration, user_id};

/// A user as the release before added one: without a skeleton, under the key that it computed. The password is that of
/// an existing user.
async fn add_as_before(pool: &PgPool, username: &str, key: &str, like: &str) {
    sqlx::query(
        "INSERT INTO users (id, username, username_key, nickname, email, phone, password_hash, entry, state, lang,
                            created_at)
         SELECT $1, $2, $3, $2, email, phone, password_hash, entry, state, lang, created_at FROM users
         WHERE username = $4",
    )
    .bind(Uuid::now_v7())
    .bind(username)
    .bind(key)
    .bind(like)
    .execute(pool)
    .await
    .unwrap();
}

/// The hash of a password exactly as it was typed.
async fn hash_as_before(password: &'static str) -> String {
    let place = HashQueue::new(1, "hashes_of_before").enter().unwrap();
    let hash = place.evaluate(move |memory| {
        let (salt, params) = (random_salt()?, Params::DEFAULT);
        let output = memory.derive(password.as_bytes(), &[], &salt, &params)?;
        Ok(phc(salt, output, &params)?.to_string())
    });
    hash.await.unwrap()
}

async fn missing(pool: &PgPool) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM users WHERE username_skeleton IS NULL")
        .fetch_one(pool)
        .await
        .unwrap()
}

async fn try_name(auth: &Auth, username: &str) -> Result<(), Status> {
    let key = auth.key(true).await;
    auth.try_register(registration(username, &key))
        .await
        .map(|_| ())
}

async fn edit(auth: &Auth, user: &str, nickname: &str) -> Result<User, Status> {
    let message = EditProfileRequest {
        nickname: Some(nickname.to_owned()),
        ..EditProfileRequest::default()
    };
    let answer = auth.users().edit_profile(as_user(user, message)).await?;
    Ok(answer.into_inner().user.unwrap())
}

fn older(form: RegisterRequest) -> RegisterRequest {
    RegisterRequest {
        older_form: true,
        ..form
    }
}

#[tokio::test]
async fn a_name_that_looks_like_another_is_taken() {
    let auth = Auth::spawn().await;
    auth.register("alice").await;
    auth.register("scope").await;
    for forged in ["ALICE", "AIice", "a1ice", "ѕсоре", "ｓｃｏｐｅ"] {
        let refused = refusal(try_name(&auth, forged).await);
        assert_eq!(refused.reason, Reason::UsernameTaken, "{forged}");
        assert_eq!(refused.field.as_deref(), Some("username"));
    }
    for mixed in ["аlice", "scоpe"] {
        let refused = refusal(try_name(&auth, mixed).await);
        assert_eq!(refused, Refusal::broken(Rule::MixedScripts, "username"));
    }
    for (name, rule) in [("a\u{202e}bc", Rule::Form), ("ab", Rule::TooShort)] {
        let refused = refusal(try_name(&auth, name).await);
        assert_eq!(refused, Refusal::broken(rule, "username"));
    }
    try_name(&auth, "сергей").await.unwrap();
    try_name(&auth, "שלום").await.unwrap();
}

#[tokio::test]
async fn one_of_fifty_lookalikes_gets_its_name() {
    let auth = Auth::builder().replicas(2).spawn().await;
    let names = ["scope", "ѕсоре", "SCOPE", "sc0pe", "Scope"];
    let mut forms = Vec::new();
    for number in 0..50 {
        let name = names[number % names.len()];
        forms.push(registration(name, &auth.key(true).await));
    }
    let outcomes = forms.into_iter().map(|form| auth.try_register(form));
    let outcomes = futures::future::join_all(outcomes).await;
    let (won, lost): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    assert_eq!(won.len(), 1);
    for outcome in lost {
        assert_eq!(reason(outcome), Reason::UsernameTaken);
    }
}

/// Names that the rules of before let in: wide letters, mixed scripts, digits in front of Arabic, kana of half width.
const OF_BEFORE: [(&str, &str); 4] = [
    ("ｗｉｄｅ", "wide"),
    ("Аdmin", "аdmin"),
    ("12محمد", "12محمد"),
    ("ﾀﾅｶ", "タナカ"),
];

#[tokio::test]
async fn names_of_before_still_log_in() {
    let auth = Auth::spawn().await;
    auth.register("ann").await;
    let pool = auth.db.pool();
    for (name, key) in OF_BEFORE {
        add_as_before(&pool, name, key, "ann").await;
    }
    let auth = auth.restart().await;
    eventually("every name has a skeleton", || async {
        missing(&pool).await == 0
    })
    .await;
    for (name, key) in OF_BEFORE {
        for typed in [name, key] {
            let session = auth.login(typed, PASSWORD).await.unwrap();
            assert_eq!(session.user.unwrap().username, name);
        }
    }
    assert_eq!(reason(try_name(&auth, "wide").await), Reason::UsernameTaken);
    assert_eq!(
        reason(try_name(&auth, "admin").await),
        Reason::UsernameTaken
    );
}

#[tokio::test]
async fn names_of_before_that_look_alike_both_stay() {
    let auth = Auth::spawn().await;
    auth.register("ann").await;
    let pool = auth.db.pool();
    for (name, key) in [("mary", "mary"), ("rnary", "rnary"), ("Rnary2", "rnary2")] {
        add_as_before(&pool, name, key, "ann").await;
    }
    // More than a batch.
    for number in 0..600 {
        let name = format!("older-{number}");
        add_as_before(&pool, &name, &name, "ann").await;
    }
    let auth = auth.restart().await;
    eventually("every name has a skeleton", || async {
        missing(&pool).await == 0
    })
    .await;
    for name in ["mary", "rnary", "rnary2", "older-599"] {
        auth.login(name, PASSWORD).await.unwrap();
    }
    for name in ["MARY", "rnaRy", "mary2", "0lder-599"] {
        assert_eq!(
            reason(try_name(&auth, name).await),
            Reason::UsernameTaken,
            "{name}"
        );
    }
}

/// During an update the release before adds users beside this one.
#[tokio::test]
async fn a_user_whom_the_release_before_adds_is_seen_at_once() {
    let auth = Auth::spawn().await;
    auth.register("ann").await;
    let pool = auth.db.pool();
    add_as_before(&pool, "mary", "mary", "ann").await;
    assert_eq!(
        reason(try_name(&auth, "rnary").await),
        Reason::UsernameTaken
    );
    auth.login("mary", PASSWORD).await.unwrap();
    assert_eq!(missing(&pool).await, 0);
}

#[tokio::test]
async fn only_who_has_a_key_learns_which_names_exist() {
    let auth = Auth::spawn().await;
    let used = auth.key(true).await;
    auth.try_register(registration("ann", &used)).await.unwrap();
    for name in ["ann", "nobody"] {
        for (key, expected) in [
            ("NO-SUCH-KEY", Reason::LicenseNotFound),
            (used.as_str(), Reason::LicenseUsed),
        ] {
            for form in [registration(name, key), older(registration(name, key))] {
                let refused = refusal(auth.try_register(form).await);
                assert_eq!(refused.reason, expected, "{name} {key}");
                assert_eq!(refused.field.as_deref(), Some("licenseKey"));
            }
        }
    }
    // The form comes before both.
    let form = registration("a b", "NO-SUCH-KEY");
    assert_eq!(
        refusal(auth.try_register(form).await).field.as_deref(),
        Some("username")
    );
    let unused = auth.key(true).await;
    for form in [
        registration("ann", &unused),
        older(registration("ann", &unused)),
    ] {
        assert_eq!(reason(auth.try_register(form).await), Reason::UsernameTaken);
    }
    auth.try_register(registration("bob", &unused))
        .await
        .unwrap();
}

/// All pass the checks at once, so it is the transaction that refuses them.
#[tokio::test]
async fn the_transaction_asks_for_the_key_first() {
    let auth = Auth::spawn().await;
    let key = auth.key(true).await;
    let racing = (0..20).map(|_| auth.try_register(registration("ann", &key)));
    let outcomes = futures::future::join_all(racing).await;
    let (won, lost): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    assert_eq!(won.len(), 1);
    for outcome in lost {
        assert_eq!(reason(outcome), Reason::LicenseUsed);
    }
}

#[tokio::test]
async fn a_nickname_hides_and_turns_nothing() {
    let auth = Auth::spawn().await;
    let key = auth.key(true).await;
    let with = |nickname: &str| RegisterRequest {
        nickname: nickname.to_owned(),
        ..registration("ann", &key)
    };
    let bad = [
        ("Ann\u{202e}nimda", Rule::Form),
        ("\u{2067}Ann", Rule::Form),
        ("A\u{200b}nn", Rule::Form),
        ("An\u{200d}n", Rule::Form),
        ("\u{3164}", Rule::Blank),
    ];
    for (nickname, rule) in bad {
        let refused = refusal(auth.try_register(with(nickname)).await);
        assert_eq!(refused, Refusal::broken(rule, "nickname"), "{nickname:?}");
    }
    let session = auth.try_register(with("  Ann \u{a0} 👩🏽‍💻 ")).await.unwrap();
    assert_eq!(session.user.as_ref().unwrap().nickname, "Ann 👩🏽‍💻");
    let id = user_id(&session);
    for (nickname, rule) in bad {
        let refused = refusal(edit(&auth, id, nickname).await);
        assert_eq!(refused, Refusal::broken(rule, "nickname"), "{nickname:?}");
    }
    let user = edit(&auth, id, "می\u{200c}خواهم 🤖").await.unwrap();
    assert_eq!(user.nickname, "می\u{200c}خواهم 🤖");
}

#[tokio::test]
async fn a_refused_password_says_why() {
    let auth = Auth::spawn().await;
    let key = auth.key(true).await;
    for (password, rule) in [
        ("short", Rule::TooShort),
        (&"x".repeat(129), Rule::TooLong),
        ("          ", Rule::Blank),
        ("Metallica1", Rule::Common),
        ("Annabelle.L", Rule::LikeName),
        ("L.ELLEBANNA1", Rule::LikeName),
        ("user@shop", Rule::LikeName),
        ("tab\u{9}ulator", Rule::Form),
    ] {
        let form = RegisterRequest {
            password: password.to_owned(),
            confirm_password: password.to_owned(),
            ..registration("annabelle.l", &key)
        };
        let refused = refusal(auth.try_register(form).await);
        assert_eq!(refused, Refusal::broken(rule, "password"), "{password:?}");
    }
}

#[tokio::test]
async fn a_password_of_before_and_a_new_one_are_right_as_they_are_typed() {
    let auth = Auth::spawn().await;
    let decomposed = "Zoe\u{308} am\u{a0}See";
    let composed = "Zo\u{eb} am See";
    let form = RegisterRequest {
        password: decomposed.to_owned(),
        confirm_password: decomposed.to_owned(),
        ..registration("new", &auth.key(true).await)
    };
    auth.try_register(form).await.unwrap();
    for typed in [decomposed, composed] {
        auth.login("new", typed).await.unwrap();
    }
    sqlx::query("UPDATE users SET password_hash = $1")
        .bind(hash_as_before(decomposed).await)
        .execute(&auth.db.pool())
        .await
        .unwrap();
    auth.login("new", decomposed).await.unwrap();
    assert_eq!(
        reason(auth.login("new", composed).await),
        Reason::BadCredentials
    );
}

#[tokio::test]
async fn staff_are_held_to_the_same_rules() {
    let auth = Auth::spawn().await;
    let create = async |username: &str, password: &str| {
        let message = CreateStaffRequest {
            username: username.to_owned(),
            password: password.to_owned(),
            role: Role::Support.into(),
            second: None,
        };
        auth.admin()
            .create_staff(as_staff(StaffRole::Admin, message))
            .await
    };
    create("admin", "adfolio-admin").await.unwrap();
    create("helper", PASSWORD).await.unwrap();
    assert_eq!(
        reason(create("he1per", PASSWORD).await),
        Reason::UsernameTaken
    );
    sqlx::query("UPDATE staff SET username_skeleton = NULL")
        .execute(&auth.db.pool())
        .await
        .unwrap();
    assert_eq!(
        reason(create("heIper", PASSWORD).await),
        Reason::UsernameTaken
    );
    for (username, password, field, rule) in [
        ("аdmin2", PASSWORD, "username", Rule::MixedScripts),
        ("manager", "Manager77x", "password", Rule::LikeName),
        ("manager", "basketball", "password", Rule::Common),
        ("manager", "        ", "password", Rule::Blank),
    ] {
        let refused = refusal(create(username, password).await);
        assert_eq!(refused, Refusal::broken(rule, field));
    }
    // Users and staff may have the same names.
    auth.register("helper").await;
}
