//! `adfolioctl setup`.

use adfolio_testkit::free_listener;

use crate::helpers::{LateAuth, run};

#[tokio::test]
async fn a_setup_waits_for_auth_and_makes_the_first_member_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, "a long enough secret\n").unwrap();
    let listener = free_listener().await;
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asking = {
        let (url, file) = (url.clone(), file.clone());
        tokio::spawn(async move { setup(url, file.to_str().unwrap()).await })
    };
    // It has asked, and nobody answered.
    drop(listener.accept().await.unwrap());
    let _auth = LateAuth::start_on(listener).await;
    let first = asking.await.unwrap();
    assert_eq!(first.code, 0, "{first:?}");
    assert!(
        first
            .output
            .starts_with("created admin with the role admin"),
        "{first:?}"
    );

    let second = setup(url.clone(), file.to_str().unwrap()).await;
    assert_eq!(
        (second.code, second.output.trim()),
        (0, "admin is there already and was left as it is"),
        "{second:?}"
    );
    let missing = setup(url, "/does/not/exist").await;
    assert_ne!(missing.code, 0, "{missing:?}");
    assert!(missing.errors.contains("/does/not/exist"), "{missing:?}");
}

async fn setup(url: String, file: &str) -> crate::helpers::Ended {
    let variables = [("AUTH_URL", url), ("ADFOLIO_DEMO", "0".to_owned())];
    let arguments = ["setup", "--admin-password-file", file];
    run(&variables, &arguments, "").await
}
