//! Names that look like another: `paypal` in Cyrillic, `rnary` for `mary`.
//!
//! A row has the skeleton of its name, which is unique. Rows of before, and those that a replica of the release before
//! adds during an update, get theirs from [`fill`]: a batch at a time, from a periodic job, and before a name is taken.
//! What the release before adds at the same instant is seen a moment too late; then both stay, as two names of before
//! do.

mod repo;

use std::collections::HashSet;

use adfolio_kit::db;
use tracing::info;
use unicode_normalization::UnicodeNormalization as _;

pub use repo::Owners;

use crate::app::App;
use crate::error::AuthError;
use crate::free_form::is_default_ignorable;
use crate::username::Username;

/// Rows of one batch.
const BATCH: i64 = 500;

/// What a name looks like (UTS 39, section 4), without regard to case.
///
/// The skeleton of the name as shown comes first: a capital I looks like an l, and a small one does not.
pub fn skeleton(shown: &str) -> String {
    let visible: String = shown
        .nfkc()
        .filter(|letter| !is_default_ignorable(*letter))
        .collect();
    let as_shown: String = unicode_security::skeleton(&visible).collect();
    let lower = as_shown.to_lowercase().replace('ς', "σ");
    unicode_security::skeleton(&lower).collect()
}

/// Whether a name is another's already, or looks like it. For a check before costly work; the unique indexes decide.
pub async fn is_taken(app: &App, owners: Owners, name: &Username) -> Result<bool, AuthError> {
    fill(app, owners).await?;
    let skeleton = skeleton(name.as_str());
    Ok(repo::is_taken(&app.pool, owners, name.key(), &skeleton).await?)
}

/// Adds a batch of missing skeletons; the number of rows that were looked at.
pub async fn fill(app: &App, owners: Owners) -> Result<usize, AuthError> {
    // The usual answer, without a transaction.
    if !repo::is_any_missing(&app.pool, owners).await? {
        return Ok(0);
    }
    let count = db::write(&app.pool, move |tx| {
        Box::pin(async move {
            // One batch at a time: two with names that look alike would wait for each other.
            repo::lock_in_tx(tx).await?;
            let names = repo::missing_in_tx(tx, owners, BATCH).await?;
            let mut seen = HashSet::new();
            let mut rows = repo::Rows::default();
            for (id, name) in names {
                let skeleton = skeleton(&name);
                rows.firsts.push(seen.insert(skeleton.clone()));
                rows.ids.push(id);
                rows.skeletons.push(skeleton);
            }
            let count = rows.ids.len();
            repo::save_in_tx(tx, owners, &rows).await?;
            Ok::<_, AuthError>(count)
        })
    })
    .await?;
    info!(?owners, count, "skeletons of names added");
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_lookalike(one: &str, other: &str) -> bool {
        skeleton(one) == skeleton(other)
    }

    #[test]
    fn forged_names_look_like_the_true_ones() {
        for (name, forged) in [
            ("demo", "dеmо"),
            ("demo", "DEMO"),
            ("demo", "ｄｅｍｏ"),
            ("scope", "ѕсоре"),
            ("SCOPE", "ЅСОРЕ"),
            ("alice", "AIice"),
            ("alice", "aIice"),
            ("alice", "a1ice"),
            ("bob", "b0b"),
            ("mary", "rnary"),
            ("paul", "раuӏ"),
            ("νικος", "νικοσ"),
            ("demo", "de\u{3164}mo"),
        ] {
            assert!(is_lookalike(name, forged), "{name} {forged}");
        }
    }

    #[test]
    fn other_names_do_not() {
        let names = [
            "demo",
            "demo1",
            "demo2",
            "ann",
            "ann.lee",
            "ann-lee",
            "ann_lee",
            "annlee",
            "张伟",
            "張偉",
            "мария",
            "maria",
            "admin",
            "admin2",
            "محمد",
            "שלום",
        ];
        let skeletons: HashSet<String> = names.iter().map(|name| skeleton(name)).collect();
        assert_eq!(skeletons.len(), names.len());
        let numbered: HashSet<String> = (0..2000)
            .map(|number| skeleton(&format!("racer-{number}")))
            .collect();
        assert_eq!(numbered.len(), 2000);
    }
}
