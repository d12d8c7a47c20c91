//! Networks, their placements and prices, and which of them products use.

use std::time::Duration;

use adfolio_kit::client::Channel;
use adfolio_kit::four_eyes::FourEyesArgs;
use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::common::v1::PageRequest;
use adfolio_proto::events::v1::StaffActed;
use adfolio_proto::plan::v1::placement_admin_service_client::PlacementAdminServiceClient;
use adfolio_proto::plan::v1::*;
use chrono::{DateTime, SubsecRound as _, Utc};
use futures::future::join_all;
use sha2::{Digest, Sha256};

use crate::helpers::{Plan, *};

const ACTED: &str = "adfolio.plan.v1.StaffActed";
const UNKNOWN: &str = "00000000-0000-7000-8000-000000000000";

fn admin() -> Caller {
    staff(StaffRole::Admin)
}

fn supply(stack: &Plan) -> PlacementAdminServiceClient<Channel> {
    PlacementAdminServiceClient::new(stack.channel())
}

/// A stack in which one member of staff sets prices alone.
async fn single() -> Plan {
    let configure = |config: &mut adfolio_plan::Config| {
        config.four_eyes = FourEyesArgs::off();
    };
    Plan::builder().configure(configure).spawn().await
}

async fn create_network(
    stack: &Plan,
    by: &Caller,
    source: &str,
) -> Result<CreateNetworkResponse, Refusal> {
    let message = CreateNetworkRequest {
        name: "Network A".to_owned(),
        source: source.to_owned(),
        ..CreateNetworkRequest::default()
    };
    let answer = supply(stack).create_network(call(by, message)).await;
    Ok(answer.map_err(refused)?.into_inner())
}

async fn network(stack: &Plan) -> Network {
    let created = create_network(stack, &admin(), "network-a").await.unwrap();
    created.network.unwrap()
}

fn feed(network: &Network) -> CreatePlacementRequest {
    CreatePlacementRequest {
        network_id: network.id.clone(),
        name: "Feed, top".to_owned(),
        format: "native".to_owned(),
        countries: vec!["de".to_owned(), "AT".to_owned()],
        systems: Vec::new(),
    }
}

async fn create_placement(
    stack: &Plan,
    request: CreatePlacementRequest,
) -> Result<Placement, Refusal> {
    let answer = supply(stack)
        .create_placement(call(&operator(), request))
        .await;
    Ok(answer.map_err(refused)?.into_inner().placement.unwrap())
}

async fn placement(stack: &Plan) -> Placement {
    let network = network(stack).await;
    create_placement(stack, feed(&network)).await.unwrap()
}

fn price(placement: &Placement, cost: &str, valid_from: DateTime<Utc>) -> SetPlacementPriceRequest {
    SetPlacementPriceRequest {
        placement_id: placement.id.clone(),
        model: PriceModel::Cpm.into(),
        cost: cost.to_owned(),
        revenue: "3.10".to_owned(),
        valid_from: Some(valid_from.into()),
    }
}

async fn set_price(
    stack: &Plan,
    by: &Caller,
    request: SetPlacementPriceRequest,
) -> Result<Placement, Refusal> {
    let answer = supply(stack).set_placement_price(call(by, request)).await;
    Ok(answer.map_err(refused)?.into_inner().placement.unwrap())
}

/// The prices of a placement: what they cost, and where they stand.
fn standing(placement: &Placement) -> Vec<(i64, PriceState)> {
    let prices = placement.prices.iter();
    prices
        .map(|price| (price.cost_micros, price.state()))
        .collect()
}

fn time<T: TryInto<DateTime<Utc>>>(timestamp: Option<T>) -> Option<DateTime<Utc>> {
    timestamp.and_then(|timestamp| timestamp.try_into().ok())
}

fn holds_from(placement: &Placement, index: usize) -> Option<DateTime<Utc>> {
    time(placement.prices[index].holds_from)
}

/// The newest placement as the list has it.
async fn listed(stack: &Plan) -> Placement {
    let answer = supply(stack)
        .list_placements(call(&operator(), ListPlacementsRequest::default()))
        .await;
    answer.unwrap().into_inner().items.remove(0)
}

#[tokio::test]
async fn a_networks_key_is_shown_once_and_kept_as_a_digest() {
    let stack = Plan::spawn().await;
    let created = create_network(&stack, &admin(), "network-a").await.unwrap();
    let (network, key) = (created.network.unwrap(), created.key);
    assert_eq!(key.len(), 64);
    assert_eq!(network.keys.len(), 1);
    assert!(key.ends_with(&network.keys[0].hint));
    assert_eq!(network.report_delay_seconds, 300);
    let digest: Vec<u8> = sqlx::query_scalar("SELECT digest FROM network_keys")
        .fetch_one(&stack.db.pool())
        .await
        .unwrap();
    assert_eq!(digest, Sha256::digest(&key).to_vec());
    let listed = supply(&stack)
        .list_networks(call(
            &staff(StaffRole::Support),
            ListNetworksRequest::default(),
        ))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(listed.items, [network]);
}

#[tokio::test]
async fn a_source_belongs_to_one_network() {
    let stack = Plan::spawn().await;
    let (one, other) = (admin(), admin());
    let made = join_all([&one, &other].map(|by| create_network(&stack, by, "network-a"))).await;
    let refusals: Vec<_> = made.into_iter().filter_map(Result::err).collect();
    assert_eq!(refusals.len(), 1);
    assert_eq!(
        (refusals[0].reason, refusals[0].field.as_deref()),
        (Reason::Validation, Some("source"))
    );
    let bad = create_network(&stack, &one, "Network A").await;
    assert_eq!(why(bad), (Reason::Validation, Some("source".into())));
}

#[tokio::test]
async fn a_further_key_ends_the_earlier_ones_after_an_overlap() {
    let stack = Plan::spawn().await;
    let network = network(&stack).await;
    let issue = async |overlap_seconds| {
        let message = IssueNetworkKeyRequest {
            network_id: network.id.clone(),
            overlap_seconds,
            reason: "rotation".to_owned(),
        };
        let answer = supply(&stack)
            .issue_network_key(call(&admin(), message))
            .await;
        Ok(answer.map_err(refused)?.into_inner())
    };
    let second: IssueNetworkKeyResponse = issue(Some(60)).await.unwrap();
    let keys = second.network.unwrap().keys;
    assert_eq!(keys.len(), 2);
    assert!(second.key.ends_with(&keys[0].hint) && keys[0].expires_at.is_none());
    assert!(keys[1].expires_at.is_some());
    // A later key with a longer overlap does not make an ending one live longer.
    let third = issue(None).await.unwrap().network.unwrap();
    assert_eq!(third.keys.len(), 3);
    stack.clock.advance(Duration::from_secs(61));
    let at_once = issue(Some(0)).await.unwrap().network.unwrap();
    assert_eq!(at_once.keys.len(), 1);
    assert_eq!(
        why(issue(Some(2_592_001)).await),
        (Reason::Validation, Some("overlap_seconds".into()))
    );
}

#[tokio::test]
async fn a_network_is_paused_and_renamed() {
    let stack = Plan::spawn().await;
    let network = network(&stack).await;
    let edit = async |network_id: &str, report_delay_seconds| {
        let message = EditNetworkRequest {
            network_id: network_id.to_owned(),
            state: SupplyState::Paused.into(),
            report_delay_seconds,
            ..EditNetworkRequest::default()
        };
        let answer = supply(&stack).edit_network(call(&admin(), message)).await;
        Ok(answer.map_err(refused)?.into_inner().network.unwrap())
    };
    let edited: Network = edit(&network.id, Some(3_600)).await.unwrap();
    assert_eq!(
        (edited.state(), edited.report_delay_seconds, &edited.name),
        (SupplyState::Paused, 3_600, &network.name)
    );
    assert_eq!(
        why(edit(&network.id, Some(86_401)).await),
        (Reason::Validation, Some("report_delay_seconds".into()))
    );
    assert_eq!(
        why(edit(UNKNOWN, None).await),
        (Reason::NotFound, Some("network_id".into()))
    );
}

#[tokio::test]
async fn a_placement_is_created_once_edited_and_listed_by_network() {
    let stack = Plan::spawn().await;
    let network = network(&stack).await;
    let other = create_network(&stack, &admin(), "network-b").await.unwrap();
    let placement = create_placement(&stack, feed(&network)).await.unwrap();
    assert_eq!(placement.countries, ["AT", "DE"]);
    assert_eq!(placement.network_name, "Network A");
    let again = create_placement(&stack, feed(&network)).await;
    assert_eq!(why(again), (Reason::Validation, Some("name".into())));
    let elsewhere = create_placement(&stack, feed(&other.network.unwrap()))
        .await
        .unwrap();
    let edit = EditPlacementRequest {
        placement_id: placement.id.clone(),
        countries: Some(Texts::default()),
        state: SupplyState::Paused.into(),
        ..EditPlacementRequest::default()
    };
    let edited = supply(&stack).edit_placement(call(&operator(), edit)).await;
    let edited = edited.unwrap().into_inner().placement.unwrap();
    assert_eq!(
        edited,
        Placement {
            countries: Vec::new(),
            state: SupplyState::Paused.into(),
            ..placement
        }
    );
    let list = async |network_id: &str| {
        let message = ListPlacementsRequest {
            page: Some(PageRequest::default()),
            network_id: network_id.to_owned(),
        };
        let answer = supply(&stack)
            .list_placements(call(&operator(), message))
            .await;
        answer.unwrap().into_inner().items
    };
    assert_eq!(list(&network.id).await, std::slice::from_ref(&edited));
    assert_eq!(list("").await, [elsewhere, edited]);
    assert!(list("no id").await.is_empty());
}

#[tokio::test]
async fn bad_placements_name_their_field_and_change_nothing() {
    let stack = Plan::spawn().await;
    let network = network(&stack).await;
    let wrong = [
        (
            "name",
            CreatePlacementRequest {
                name: " ".into(),
                ..feed(&network)
            },
        ),
        (
            "format",
            CreatePlacementRequest {
                format: "Full screen".into(),
                ..feed(&network)
            },
        ),
        (
            "countries",
            CreatePlacementRequest {
                countries: vec!["Austria".into()],
                ..feed(&network)
            },
        ),
        (
            "systems",
            CreatePlacementRequest {
                systems: vec!["iOS!".into()],
                ..feed(&network)
            },
        ),
    ];
    for (field, request) in wrong {
        let answer = create_placement(&stack, request).await;
        assert_eq!(why(answer), (Reason::Validation, Some(field.to_owned())));
    }
    let unknown = CreatePlacementRequest {
        network_id: UNKNOWN.to_owned(),
        ..feed(&network)
    };
    assert_eq!(
        why(create_placement(&stack, unknown).await),
        (Reason::NotFound, Some("network_id".into()))
    );
    let count: i64 = sqlx::query_scalar("SELECT count(*) FROM placements")
        .fetch_one(&stack.db.pool())
        .await
        .unwrap();
    assert_eq!(count, 0);
}

#[tokio::test]
async fn a_price_is_followed_and_never_changed() {
    let stack = single().await;
    let placement = placement(&stack).await;
    let now = stack.clock.now();
    let hour = chrono::TimeDelta::hours(1);
    let first = set_price(&stack, &operator(), price(&placement, "2.00", now))
        .await
        .unwrap();
    assert_eq!(standing(&first), [(2_000_000, PriceState::Confirmed)]);
    let second = price(&placement, "2.005", now + hour);
    let both = set_price(&stack, &operator(), second.clone())
        .await
        .unwrap();
    assert_eq!(standing(&both).len(), 2);
    // Twice is once.
    assert_eq!(set_price(&stack, &operator(), second).await.unwrap(), both);
    for (valid_from, field) in [(now - hour, "valid_from"), (now + hour / 2, "valid_from")] {
        let refused = set_price(&stack, &operator(), price(&placement, "1.00", valid_from)).await;
        assert_eq!(why(refused), (Reason::Validation, Some(field.to_owned())));
    }
    for (cost, field) in [
        ("2.0005", "cost"),
        ("0", "cost"),
        ("-1", "cost"),
        ("", "cost"),
    ] {
        let refused = set_price(&stack, &operator(), price(&placement, cost, now + hour * 2)).await;
        assert_eq!(
            why(refused),
            (Reason::Validation, Some(field.to_owned())),
            "{cost}"
        );
    }
    stack.clock.advance(Duration::from_secs(3_601));
    let listed = supply(&stack)
        .list_placements(call(&operator(), ListPlacementsRequest::default()))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        standing(&listed.items[0]),
        [(2_005_000, PriceState::Confirmed)]
    );
    for statement in [
        "UPDATE placement_prices SET cost_micros = 1000",
        "DELETE FROM placement_prices",
    ] {
        assert!(
            sqlx::query(statement)
                .execute(&stack.db.pool())
                .await
                .is_err()
        );
    }
}

#[tokio::test]
async fn two_members_of_staff_set_a_price() {
    let stack = Plan::spawn().await;
    let placement = placement(&stack).await;
    let (first, second) = (operator(), staff(StaffRole::Finance));
    let now = stack.clock.now();
    let later = now + chrono::TimeDelta::hours(1);
    let proposed = set_price(&stack, &first, price(&placement, "2.00", later))
        .await
        .unwrap();
    assert_eq!(standing(&proposed), [(2_000_000, PriceState::Proposed)]);
    let again = set_price(&stack, &first, price(&placement, "2.00", later))
        .await
        .unwrap();
    assert_eq!(again, proposed);
    // What differs is another price, and comes too late for this time.
    let other = set_price(&stack, &second, price(&placement, "2.01", later)).await;
    assert_eq!(why(other), (Reason::Validation, Some("valid_from".into())));
    let confirmed = set_price(&stack, &second, price(&placement, "2.00", later))
        .await
        .unwrap();
    assert_eq!(standing(&confirmed), [(2_000_000, PriceState::Confirmed)]);
    let by = &confirmed.prices[0];
    assert_eq!(
        (&by.set_by_id, &by.confirmed_by_id),
        (&id_of(&first), &id_of(&second))
    );
    assert_eq!(by.holds_from, by.valid_from);
    // A proposal that is confirmed after its time holds from then on.
    let next = later + chrono::TimeDelta::hours(1);
    set_price(&stack, &first, price(&placement, "9.00", next))
        .await
        .unwrap();
    stack.clock.advance(Duration::from_hours(3));
    let both = listed(&stack).await;
    assert_eq!(
        standing(&both),
        [
            (2_000_000, PriceState::Confirmed),
            (9_000_000, PriceState::Proposed)
        ]
    );
    let late = set_price(&stack, &second, price(&placement, "9.00", next))
        .await
        .unwrap();
    assert_eq!(standing(&late), [(9_000_000, PriceState::Confirmed)]);
    assert_eq!(holds_from(&late, 0), Some(stack.clock.now()));
}

#[tokio::test]
async fn a_price_for_now_holds_from_its_confirmation() {
    let stack = Plan::spawn().await;
    let placement = placement(&stack).await;
    let (first, second) = (operator(), staff(StaffRole::Finance));
    let now = stack.clock.now();
    let proposed = set_price(&stack, &first, price(&placement, "2.00", now))
        .await
        .unwrap();
    assert_eq!(standing(&proposed), [(2_000_000, PriceState::Proposed)]);
    assert_eq!(holds_from(&proposed, 0), None);
    // The time that a second person reads in REST answers and in those of adfolioctl.
    let shown = time(proposed.prices[0].valid_from).unwrap();
    assert_eq!(shown, shown.trunc_subsecs(3));
    let same = price(&placement, "2.00", shown);
    stack.clock.advance(Duration::from_mins(5));
    let alone = set_price(&stack, &first, same.clone()).await.unwrap();
    assert_eq!(alone, proposed);
    let confirmed = set_price(&stack, &second, same.clone()).await.unwrap();
    assert_eq!(standing(&confirmed), [(2_000_000, PriceState::Confirmed)]);
    assert_eq!(
        confirmed.prices[0].valid_from,
        proposed.prices[0].valid_from
    );
    assert_eq!(holds_from(&confirmed, 0), Some(stack.clock.now()));
    assert_eq!(confirmed.prices[0].confirmed_by_id, id_of(&second));
    // A further price begins after the confirmation, not only after the time that this one was set for.
    let at_once = price(&placement, "3.00", stack.clock.now());
    assert_eq!(
        why(set_price(&stack, &first, at_once).await),
        (Reason::Validation, Some("valid_from".into()))
    );
    // Twice is once, also later.
    stack.clock.advance(Duration::from_mins(5));
    let again = set_price(&stack, &second, same).await.unwrap();
    assert_eq!(again, confirmed);
}

#[tokio::test]
async fn a_proposal_comes_too_late_once_a_later_price_holds() {
    let stack = Plan::spawn().await;
    let placement = placement(&stack).await;
    let (first, second) = (operator(), staff(StaffRole::Finance));
    let older = price(&placement, "2.00", stack.clock.now());
    let proposed = set_price(&stack, &first, older.clone()).await.unwrap();
    let older = SetPlacementPriceRequest {
        valid_from: proposed.prices[0].valid_from,
        ..older
    };
    stack.clock.advance(Duration::from_mins(10));
    let newer = price(&placement, "3.00", stack.clock.now());
    let pending = set_price(&stack, &first, newer.clone()).await.unwrap();
    // A further proposal replaces nothing.
    assert_eq!(
        standing(&pending),
        [
            (2_000_000, PriceState::Proposed),
            (3_000_000, PriceState::Proposed)
        ]
    );
    let newer = SetPlacementPriceRequest {
        valid_from: pending.prices[1].valid_from,
        ..newer
    };
    stack.clock.advance(Duration::from_secs(20));
    let holding = set_price(&stack, &second, newer).await.unwrap();
    assert_eq!(standing(&holding), [(3_000_000, PriceState::Confirmed)]);
    let refused = set_price(&stack, &second, older.clone()).await.unwrap_err();
    assert_eq!(
        (refused.reason, refused.field.as_deref()),
        (Reason::Validation, Some("valid_from"))
    );
    assert_eq!(
        refused.detail.as_deref(),
        Some("a later price holds already")
    );
    assert_eq!(listed(&stack).await, holding);
    // The database refuses it as well.
    let confirm = "UPDATE placement_prices SET confirmed_by = gen_random_uuid(), confirmed_at = $1
                   WHERE confirmed_at IS NULL";
    let refused = sqlx::query(confirm)
        .bind(stack.clock.now())
        .execute(&stack.db.pool())
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("a later price holds already"));
}

#[tokio::test]
async fn proposals_are_confirmed_in_any_order_before_they_hold() {
    let stack = Plan::spawn().await;
    let placement = placement(&stack).await;
    let (first, second) = (operator(), staff(StaffRole::Finance));
    let now = stack.clock.now().trunc_subsecs(3);
    let earlier = price(&placement, "2.00", now + chrono::TimeDelta::hours(1));
    let later = price(&placement, "3.00", now + chrono::TimeDelta::hours(2));
    for (by, request) in [
        (&first, &earlier),
        (&first, &later),
        (&second, &later),
        (&second, &earlier),
    ] {
        set_price(&stack, by, request.clone()).await.unwrap();
    }
    let both = listed(&stack).await;
    let confirmed = [
        (2_000_000, PriceState::Confirmed),
        (3_000_000, PriceState::Confirmed),
    ];
    assert_eq!(standing(&both), confirmed);
    for index in [0, 1] {
        assert_eq!(both.prices[index].holds_from, both.prices[index].valid_from);
    }
    stack.clock.advance(Duration::from_mins(90));
    assert_eq!(standing(&listed(&stack).await), confirmed);
    stack.clock.advance(Duration::from_mins(31));
    assert_eq!(standing(&listed(&stack).await), confirmed[1..]);
}

#[tokio::test]
async fn a_product_names_its_placements_and_its_goal() {
    let stack = Plan::spawn().await;
    let placement = placement(&stack).await;
    let created = stack.product().await;
    assert_eq!(created.goal(), PlacementGoal::Clicks);
    assert_eq!(created.placements, Some(PlacementSelection::default()));
    let edit = async |product: Product| {
        let message = EditProductRequest {
            product: Some(product),
        };
        let answer = stack.staff().edit_product(call(&operator(), message)).await;
        Ok(answer.map_err(refused)?.into_inner().product.unwrap())
    };
    let selection = |id: &str| {
        Some(PlacementSelection {
            ids: vec![id.to_owned()],
        })
    };
    let creative = Creative {
        title: "Repair the harbour".to_owned(),
        picture_url: "/media/harbour.png".to_owned(),
        destination_url: "https://example.com/harbour".to_owned(),
    };
    let placed = Product {
        goal: PlacementGoal::Revenue.into(),
        placements: selection(&placement.id),
        creative: Some(creative.clone()),
        ..created.clone()
    };
    let edited: Product = edit(placed.clone()).await.unwrap();
    assert_eq!(edited, placed);
    // What is left out stays.
    let unchanged = Product {
        goal: 0,
        placements: None,
        creative: None,
        ..placed.clone()
    };
    assert_eq!(edit(unchanged).await.unwrap(), placed);
    let unknown = Product {
        placements: selection(UNKNOWN),
        ..placed.clone()
    };
    assert_eq!(
        why(edit(unknown).await),
        (Reason::NotFound, Some("placements".into()))
    );
    let script = Product {
        creative: Some(Creative {
            destination_url: "javascript:alert(1)".to_owned(),
            ..creative
        }),
        ..placed
    };
    assert_eq!(
        why(edit(script).await),
        (Reason::Validation, Some("creative.destination".into()))
    );
}

#[tokio::test]
async fn only_those_who_may_change_supply() {
    let stack = Plan::spawn().await;
    let placement = placement(&stack).await;
    let now = stack.clock.now();
    let (support, finance) = (staff(StaffRole::Support), staff(StaffRole::Finance));
    for by in [&operator(), &finance, &support] {
        let refused = create_network(&stack, by, "network-b").await;
        assert_eq!(why(refused).0, Reason::Forbidden);
    }
    assert_eq!(
        why(create_network(&stack, &user(), "network-b").await).0,
        Reason::NotAuthenticated
    );
    let price = price(&placement, "2.00", now);
    assert_eq!(
        why(set_price(&stack, &support, price).await).0,
        Reason::Forbidden
    );
}

#[tokio::test]
async fn every_act_is_in_the_audit_log_without_a_key() {
    let stack = single().await;
    let probe = stack.broker.probe(&[ACTED]).await;
    let created = create_network(&stack, &admin(), "network-a").await.unwrap();
    let network = created.network.unwrap();
    let placement = create_placement(&stack, feed(&network)).await.unwrap();
    let now = stack.clock.now();
    set_price(&stack, &operator(), price(&placement, "2.00", now))
        .await
        .unwrap();
    let message = IssueNetworkKeyRequest {
        network_id: network.id.clone(),
        ..IssueNetworkKeyRequest::default()
    };
    let issued = supply(&stack)
        .issue_network_key(call(&admin(), message))
        .await;
    let issued = issued.unwrap().into_inner().key;
    let events = probe.wait_for(ACTED, 4).await;
    let mut actions: Vec<String> = Vec::new();
    for event in &events {
        let act: StaffActed = event.data().unwrap();
        let text = format!("{act:?}");
        assert!(
            !text.contains(&created.key) && !text.contains(&issued),
            "{text}"
        );
        actions.push(act.action);
    }
    actions.sort();
    assert_eq!(
        actions,
        [
            "plan.create_network",
            "plan.create_placement",
            "plan.issue_network_key",
            "plan.set_placement_price"
        ]
    );
}
