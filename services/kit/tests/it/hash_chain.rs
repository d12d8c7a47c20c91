//! Hash chains: what a place covers, and that what does not fit is named.

use adfolio_kit::hash_chain::{Place, Stored, Verification, verify};
use sha2::{Digest as _, Sha256};

const MISSING: &str = "seal is missing";

fn chain(length: i64) -> Vec<Stored> {
    let mut place = Place::START;
    let stored = (0..length).map(|_| {
        place = place.next(|seq| format!("text {seq}"));
        Stored {
            place,
            text: Ok(format!("text {}", place.seq)),
            items: 2,
        }
    });
    stored.collect()
}

/// Two places at a time.
async fn check(chain: &[Stored], after: i64, last: i64) -> Verification {
    let page = async |after: i64, last: i64| {
        let within = chain
            .iter()
            .filter(|it| it.place.seq > after && it.place.seq <= last);
        Ok::<_, ()>(within.take(2).cloned().collect())
    };
    verify(after, last, page).await.expect("pages")
}

#[test]
fn a_hash_covers_text_number_and_the_hash_before() {
    let first = Place::START.next(|seq| format!("text {seq}"));
    let expected = Sha256::digest([&[0; 32], &b"text 1"[..]].concat());
    assert_eq!((first.seq, first.hash), (1, expected.into()));
    let second = first.next(|seq| format!("text {seq}"));
    let again = first.next(|_| "text 1".to_owned());
    assert_eq!(second.seq, 2);
    assert!(second.hash != again.hash && again.hash != first.hash);
}

#[tokio::test]
async fn a_whole_chain_holds_from_everywhere() {
    let chain = chain(7);
    for after in 0..7 {
        let found = check(&chain, after, 7).await;
        assert_eq!(found.broken, None);
        assert_eq!(found.items, 2 * (7 - after).unsigned_abs());
        assert_eq!(found.head, Some(chain[6].place));
    }
    assert_eq!(check(&[], 0, 0).await.head, None);
}

#[tokio::test]
async fn what_does_not_fit_is_named() {
    let whole = chain(7);
    let broken = async |change: fn(&mut Vec<Stored>)| {
        let mut changed = whole.clone();
        change(&mut changed);
        let found = check(&changed, 0, 7).await;
        (found.broken, found.head.map(|head| head.seq))
    };
    let misfit = "hash does not fit";
    let at_fourth = |fault| (Some((4, fault)), Some(3));
    assert_eq!(
        broken(|chain| chain[3].text = Ok("other".to_owned())).await,
        at_fourth(misfit)
    );
    assert_eq!(
        broken(|chain| chain[3].place.hash = [1; 32]).await,
        at_fourth(misfit)
    );
    assert_eq!(
        broken(|chain| chain[3].text = Err("gone")).await,
        at_fourth("gone")
    );
    assert_eq!(
        broken(|chain| drop(chain.remove(3))).await,
        at_fourth(MISSING)
    );
    assert_eq!(broken(|chain| chain.truncate(3)).await, at_fourth(MISSING));
    // The place before is taken as it is, and must be there.
    assert_eq!(check(&whole[..3], 4, 7).await.broken, Some((4, MISSING)));
}
