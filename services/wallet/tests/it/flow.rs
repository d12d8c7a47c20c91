//! Fund details and months.

use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::refusal::Reason;
use adfolio_kit::time_zone::TimeZone;
use adfolio_proto::common::v1::PageRequest;
use adfolio_proto::wallet::v1::{
    FlowEntry, FlowTotals, FlowType, GetMonthlyRequest, ListFlowRequest, MonthSummary,
    WalletAccount,
};
use adfolio_testkit::{fixed_clock, instant};
use futures::future::join_all;
use uuid::Uuid;

use crate::helpers::{Wallet, assert_refused, refused};

fn caller_in(user: Uuid, zone: &str) -> Caller {
    Caller {
        time_zone: TimeZone::parse(zone),
        ..Caller::user(UserId(user))
    }
}

fn page(cursor: &str, limit: u32) -> PageRequest {
    PageRequest {
        cursor: cursor.to_owned(),
        limit,
    }
}

/// All pages of the lines that a request asks for.
async fn lines(
    stack: &Wallet,
    caller: &Caller,
    ask: impl Fn(&mut ListFlowRequest),
) -> Vec<FlowEntry> {
    let (mut lines, mut cursor) = (Vec::new(), String::new());
    loop {
        let mut request = ListFlowRequest {
            page: Some(page(&cursor, 3)),
            ..Default::default()
        };
        ask(&mut request);
        let answer = stack.flow(caller, request).await.expect("a page");
        lines.extend(answer.items);
        cursor = answer.next_cursor;
        if cursor.is_empty() {
            return lines;
        }
    }
}

async fn amounts(stack: &Wallet, caller: &Caller, month: &str) -> Vec<i64> {
    let request = ListFlowRequest {
        month: month.to_owned(),
        page: Some(page("", 100)),
        ..Default::default()
    };
    let lines = stack.flow(caller, request).await.expect("lines").items;
    lines.iter().map(|line| line.amount_minor).collect()
}

async fn monthly(stack: &Wallet, caller: &Caller, months: u32) -> Vec<MonthSummary> {
    let request = adfolio_kit::client::outgoing(
        caller,
        GetMonthlyRequest { months },
        std::time::Duration::from_secs(5),
    );
    stack
        .users()
        .get_monthly(request)
        .await
        .expect("months")
        .into_inner()
        .items
}

#[tokio::test]
async fn pages_are_complete_and_without_repeats_while_postings_go_on() {
    let stack = Wallet::spawn().await;
    let user = stack.user();
    for amount in 1..=30 {
        stack.deposit(user, amount).await;
    }
    let caller = caller_in(user, "UTC");
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let request = ListFlowRequest {
            page: Some(page(&cursor, 7)),
            ..Default::default()
        };
        let answer = stack.flow(&caller, request).await.expect("a page");
        assert!(answer.items.len() == 7 || answer.next_cursor.is_empty());
        seen.extend(answer.items.iter().map(|line| line.amount_minor));
        // What comes in meanwhile is before the first page.
        join_all((0..5).map(|_| stack.deposit(user, 1_000))).await;
        cursor = answer.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(seen, (1..=30).rev().collect::<Vec<i64>>());
}

#[tokio::test]
async fn cursors_of_other_users_and_made_up_ones_are_refused() {
    let stack = Wallet::spawn().await;
    let (user, other) = (stack.user_with(1).await, stack.user_with(1).await);
    stack.deposit(user, 2).await;
    stack.deposit(other, 2).await;
    let request = ListFlowRequest {
        page: Some(page("", 1)),
        ..Default::default()
    };
    let cursor = stack
        .flow(&caller_in(user, "UTC"), request)
        .await
        .expect("a page")
        .next_cursor;
    assert!(!cursor.is_empty());
    let with = |cursor: &str, limit| ListFlowRequest {
        page: Some(page(cursor, limit)),
        ..Default::default()
    };
    assert_eq!(
        stack
            .flow(&caller_in(user, "UTC"), with(&cursor, 1))
            .await
            .expect("a page")
            .items
            .len(),
        1
    );
    assert_refused(
        stack.flow(&caller_in(other, "UTC"), with(&cursor, 1)).await,
        Reason::Validation,
        Some("cursor"),
    );
    for junk in ["x", "AAAA", &cursor[1..], &"a".repeat(10_000), "💰"] {
        assert_refused(
            stack.flow(&caller_in(user, "UTC"), with(junk, 1)).await,
            Reason::Validation,
            Some("cursor"),
        );
    }
    assert_refused(
        stack.flow(&caller_in(user, "UTC"), with("", 101)).await,
        Reason::Validation,
        Some("limit"),
    );
    assert_refused(
        stack.flow(&Caller::system(), with("", 1)).await,
        Reason::NotAuthenticated,
        None,
    );
}

/// A user of 100.00 with four settled plans.
async fn user_with_plans(stack: &Wallet) -> Uuid {
    let (user, ledger) = (stack.user_with(10_000).await, stack.ledger());
    // Of the last one's revenue nothing is left for the user.
    for (paid, discount, share) in [(100, 0, 6), (200, 50, 6), (0, 70, 6), (100, 0, 66)] {
        let order = Uuid::now_v7();
        ledger
            .hold(user, order, paid, discount)
            .await
            .expect("a hold");
        for version in 1..=6 {
            ledger
                .record(user, order, version, version * 10, version * 11)
                .await
                .expect("a report");
        }
        ledger
            .settle(user, order, 60, 66, share)
            .await
            .expect("a settlement");
    }
    user
}

#[tokio::test]
async fn lines_are_filtered_by_type_and_those_of_an_account_sum_to_its_balance() {
    let stack = Wallet::spawn().await;
    let user = user_with_plans(&stack).await;
    let caller = caller_in(user, "UTC");
    let all = stack.all_flow(user).await;
    let property = stack.property(user).await;
    for (account, balance) in [
        (WalletAccount::Available, property.available_minor),
        (WalletAccount::ToBeConsumed, property.to_be_consumed_minor),
        (WalletAccount::ToBeSettled, property.to_be_settled_minor),
        (WalletAccount::Withdrawing, property.withdrawing_minor),
    ] {
        let of_account = lines(&stack, &caller, |request| {
            request.account = account.into();
        });
        let of_account = of_account.await;
        let sum: i64 = of_account.iter().map(|line| line.amount_minor).sum();
        assert_eq!(sum, balance, "{account:?}");
        let expected: Vec<_> = all
            .iter()
            .filter(|line| line.account() == account)
            .cloned()
            .collect();
        assert_eq!(of_account, expected, "{account:?}");
    }
    for (kind, count) in [
        (FlowType::SystemTopUp, 1),
        // What left the available balance, and came to the plan.
        (FlowType::AdServing, 6 + 6),
        (FlowType::DiscountAmount, 4),
        (FlowType::AdBilling, 24),
        // What was earned, what came to the available balance, and what left the revenue for it.
        (FlowType::ProfitSharing, 24 + 3 + 4),
        // Kinds that this user has no line of.
        (FlowType::ManualPayout, 0),
        (FlowType::StartUpFunds, 0),
        (FlowType::Guarantee, 0),
    ] {
        let of_type = lines(&stack, &caller, |request| request.r#type = kind.into());
        let of_type = of_type.await;
        let expected: Vec<_> = all
            .iter()
            .filter(|line| line.r#type() == kind)
            .cloned()
            .collect();
        assert_eq!(of_type, expected, "{kind:?}");
        assert_eq!(of_type.len(), count, "{kind:?}");
    }
    let mut transfers: Vec<_> = all.iter().filter(|line| line.transfer).collect();
    transfers.sort_by_key(|line| (line.r#type, line.account));
    let shown = transfers.iter().map(|line| (line.r#type(), line.account()));
    let expected = [
        (FlowType::AdServing, WalletAccount::Available, 6),
        (FlowType::AdServing, WalletAccount::ToBeConsumed, 6),
        (FlowType::ProfitSharing, WalletAccount::Available, 3),
        (FlowType::ProfitSharing, WalletAccount::ToBeSettled, 4),
    ];
    let expected = expected
        .into_iter()
        .flat_map(|(kind, account, count)| std::iter::repeat_n((kind, account), count));
    assert!(shown.eq(expected), "{transfers:?}");
    let unknown = ListFlowRequest {
        r#type: 77,
        ..Default::default()
    };
    assert_refused(
        stack.flow(&caller, unknown).await,
        Reason::Validation,
        Some("type"),
    );
}

#[tokio::test]
async fn a_line_is_found_by_its_id_by_its_user_alone() {
    let stack = Wallet::spawn().await;
    let user = user_with_plans(&stack).await;
    let caller = caller_in(user, "UTC");
    let stranger = caller_in(user_with_plans(&stack).await, "UTC");
    let with_id = |id: &str| ListFlowRequest {
        id: id.to_owned(),
        ..Default::default()
    };
    let all = lines(&stack, &caller, |_| ()).await;
    assert!(all.iter().any(|line| line.id.ends_with("-0")));
    for line in &all {
        let found = stack
            .flow(&caller, with_id(&line.id))
            .await
            .expect("a page");
        assert_eq!(
            (found.items, found.next_cursor),
            (vec![line.clone()], String::new())
        );
        let foreign = stack.flow(&stranger, with_id(&line.id)).await;
        assert_eq!(foreign.expect("a page").items, []);
        // A line that its transaction does not have.
        let (transaction, _) = line.id.rsplit_once('-').expect("a line");
        for id in [
            transaction.to_owned(),
            format!("{transaction}-9"),
            format!("{transaction}-01"),
            format!("{transaction}-99999"),
        ] {
            let none = stack.flow(&caller, with_id(&id)).await.expect("a page");
            assert_eq!(none.items, [], "{id}");
        }
    }
    let with_more = ListFlowRequest {
        month: "2026-11".to_owned(),
        ..with_id(&all[0].id)
    };
    assert_refused(
        stack.flow(&caller, with_more).await,
        Reason::Validation,
        Some("id"),
    );
}

#[tokio::test]
async fn totals_are_what_came_to_an_account_and_what_left_it() {
    let stack = Wallet::spawn().await;
    let user = user_with_plans(&stack).await;
    let caller = caller_in(user, "UTC");
    for account in [
        WalletAccount::Available,
        WalletAccount::ToBeConsumed,
        WalletAccount::ToBeSettled,
        WalletAccount::Withdrawing,
    ] {
        let lines = lines(&stack, &caller, |request| {
            request.account = account.into();
        });
        let lines = lines.await;
        let wanted = ListFlowRequest {
            account: account.into(),
            with_totals: true,
            page: Some(page("", 1)),
            ..Default::default()
        };
        let totals = stack.flow(&caller, wanted).await.expect("a page").totals;
        let came = |sign: i64| lines.iter().map(move |line| line.amount_minor * sign);
        let expected = FlowTotals {
            in_minor: came(1).filter(|amount| *amount > 0).sum(),
            out_minor: came(-1).filter(|amount| *amount > 0).sum(),
        };
        assert_eq!(totals, Some(expected), "{account:?}");
    }
    // Lines of several accounts do not add up.
    let wanted = ListFlowRequest {
        with_totals: true,
        ..Default::default()
    };
    assert_refused(
        stack.flow(&caller, wanted).await,
        Reason::Validation,
        Some("account"),
    );
}

#[tokio::test]
async fn months_are_those_of_the_caller_s_time_zone() {
    let clock = fixed_clock("2026-02-28T18:14:59.999999Z");
    let stack = Wallet::builder().clock(clock.clone()).spawn().await;
    let user = stack.user();
    // Kathmandu's March begins at 18:15 UTC, Berlin's at 23:00, UTC's at midnight; Berlin's ends an hour earlier (DST).
    for (amount, time) in [
        (1, "2026-02-28T18:14:59.999999Z"),
        (2, "2026-02-28T18:15:00Z"),
        (4, "2026-02-28T22:59:59.999999Z"),
        (8, "2026-02-28T23:00:00Z"),
        (16, "2026-03-01T00:00:00Z"),
        (32, "2026-03-31T18:14:59.999999Z"),
        (64, "2026-03-31T18:15:00Z"),
        (128, "2026-03-31T21:59:59.999999Z"),
        (256, "2026-03-31T22:00:00Z"),
        (512, "2026-03-31T23:59:59.999999Z"),
        (1024, "2026-04-01T00:00:00Z"),
    ] {
        clock.set(instant(time));
        stack.deposit(user, amount).await;
    }
    for (zone, march) in [
        ("Asia/Kathmandu GMT+05:45", 2 + 4 + 8 + 16 + 32),
        ("GMT+05:45", 2 + 4 + 8 + 16 + 32),
        ("Europe/Berlin", 8 + 16 + 32 + 64 + 128),
        ("UTC", 16 + 32 + 64 + 128 + 256 + 512),
        ("junk", 16 + 32 + 64 + 128 + 256 + 512),
    ] {
        let caller = caller_in(user, zone);
        assert_eq!(
            amounts(&stack, &caller, "2026-03")
                .await
                .iter()
                .sum::<i64>(),
            march,
            "{zone}"
        );
        assert_eq!(
            amounts(&stack, &caller, "2026-01").await,
            Vec::<i64>::new(),
            "{zone}"
        );
        let months = monthly(&stack, &caller, 3).await;
        let names: Vec<&str> = months.iter().map(|month| month.month.as_str()).collect();
        assert_eq!(names, ["2026-04", "2026-03", "2026-02"], "{zone}");
        assert_eq!(months[1].income_minor, march, "{zone}");
        assert_eq!(
            months.iter().map(|month| month.income_minor).sum::<i64>(),
            2047,
            "{zone}"
        );
    }
    // The same by the instants, and with them alone.
    let stretch = |from: &str, to: &str, month: &str| ListFlowRequest {
        account: WalletAccount::Available.into(),
        month: month.to_owned(),
        from: Some(adfolio_kit::wire::timestamp(instant(from))),
        to: Some(adfolio_kit::wire::timestamp(instant(to))),
        with_totals: true,
        ..Default::default()
    };
    let caller = caller_in(user, "UTC");
    let march = stretch("2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z", "");
    let answer = stack.flow(&caller, march).await.expect("a page");
    let sum: i64 = answer.items.iter().map(|line| line.amount_minor).sum();
    assert_eq!(sum, 16 + 32 + 64 + 128 + 256 + 512);
    assert_eq!(answer.totals.map(|totals| totals.in_minor), Some(sum));
    let both = stretch("2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z", "2026-03");
    assert_refused(
        stack.flow(&caller, both).await,
        Reason::Validation,
        Some("month"),
    );
    for month in ["2026-13", "march", "2026-3", "2026"] {
        let request = ListFlowRequest {
            month: month.to_owned(),
            ..Default::default()
        };
        assert_refused(
            stack.flow(&caller_in(user, "UTC"), request).await,
            Reason::Validation,
            Some("month"),
        );
    }
    assert_eq!(stack.verify(Some(user)).await.broken, []);
}

#[tokio::test]
async fn a_month_s_pages_stay_within_it() {
    let clock = fixed_clock("2026-05-10T00:00:00Z");
    let stack = Wallet::builder().clock(clock.clone()).spawn().await;
    let user = stack.user();
    for (month, base) in [("2026-05", 0), ("2026-06", 100), ("2026-07", 200)] {
        clock.set(instant(&format!("{month}-10T00:00:00Z")));
        for amount in 1..=5 {
            stack.deposit(user, base + amount).await;
        }
    }
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let request = ListFlowRequest {
            month: "2026-06".into(),
            page: Some(page(&cursor, 2)),
            ..Default::default()
        };
        let answer = stack
            .flow(&caller_in(user, "UTC"), request)
            .await
            .expect("a page");
        seen.extend(answer.items.iter().map(|line| line.amount_minor));
        cursor = answer.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(seen, [105, 104, 103, 102, 101]);
}

#[tokio::test]
async fn months_sum_up_every_type_that_changes_the_available_balance() {
    let clock = fixed_clock("2026-05-10T00:00:00Z");
    let stack = Wallet::builder().clock(clock.clone()).spawn().await;
    let (user, order, ledger) = (stack.user_with(1_000).await, Uuid::now_v7(), stack.ledger());
    ledger.hold(user, order, 600, 100).await.expect("a hold");
    clock.set(instant("2026-06-10T00:00:00Z"));
    ledger
        .record(user, order, 1, 350, 500)
        .await
        .expect("a report");
    ledger
        .settle(user, order, 350, 500, 50)
        .await
        .expect("a settlement");
    let months = monthly(&stack, &caller_in(user, "UTC"), 0).await;
    assert_eq!(months.len(), 12);
    let types = |month: &MonthSummary| -> Vec<(FlowType, i64)> {
        month
            .by_type
            .iter()
            .map(|sum| (sum.r#type(), sum.amount_minor))
            .collect()
    };
    assert_eq!(
        (months[0].income_minor, months[0].expense_minor),
        (300 + 450, 0)
    );
    assert_eq!(
        types(&months[0]),
        [(FlowType::AdServing, 300), (FlowType::ProfitSharing, 450)]
    );
    assert_eq!(
        (months[1].income_minor, months[1].expense_minor),
        (1_000, 600)
    );
    assert_eq!(
        types(&months[1]),
        [(FlowType::SystemTopUp, 1_000), (FlowType::AdServing, -600)]
    );
    assert!(
        months[2..]
            .iter()
            .all(|month| month.income_minor == 0 && month.by_type.is_empty())
    );
    let stranger = monthly(&stack, &caller_in(stack.user(), "UTC"), 24).await;
    assert_eq!(stranger.len(), 24);
    assert!(
        stranger
            .iter()
            .all(|month| month.income_minor == 0 && month.expense_minor == 0)
    );
    let request = adfolio_kit::client::outgoing(
        &caller_in(user, "UTC"),
        GetMonthlyRequest { months: 25 },
        std::time::Duration::from_secs(5),
    );
    assert_refused(
        stack.users().get_monthly(request).await.map_err(refused),
        Reason::Validation,
        Some("months"),
    );
}

#[tokio::test]
async fn time_of_a_user_never_runs_back() {
    let clock = fixed_clock("2026-05-10T12:00:00Z");
    let stack = Wallet::builder().clock(clock.clone()).spawn().await;
    let user = stack.user_with(1).await;
    clock.set(instant("2026-05-10T11:59:59Z"));
    let second = stack.deposit(user, 2).await;
    assert_eq!(
        second.time.map(|time| time.seconds),
        Some(instant("2026-05-10T12:00:00Z").timestamp())
    );
    assert_eq!(stack.verify(Some(user)).await.broken, []);
}
