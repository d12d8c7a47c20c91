//! Account statements: a file is kept whole or not at all, and a payment is credited once.

use adfolio_kit::identity::Caller;
use adfolio_kit::payment_reference::payment_reference;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::common::v1::{PageRequest, WaitingKind};
use adfolio_proto::events::v1::StaffActed;
use adfolio_proto::wallet::v1 as proto;
use adfolio_proto::wallet::v1::bank_admin_service_client::BankAdminServiceClient;
use adfolio_proto::wallet::v1::{
    ApprovalDecision, BankFileProblem, BankLineState, BankStatementFormat,
};
use futures::future::join_all;
use uuid::Uuid;

use crate::approvals::{self, ABOVE, second};
use crate::helpers::{Wallet, assert_refused, call, finance, refused};
use crate::waiting::waiting;

const HEADER: &str = "date,amount,currency,text,party,bank_reference";

impl Wallet {
    pub fn bank(&self) -> BankAdminServiceClient<adfolio_kit::client::Channel> {
        BankAdminServiceClient::new(self.channel())
    }

    async fn upload(
        &self,
        format: BankStatementFormat,
        content: &str,
    ) -> Result<proto::UploadBankStatementResponse, Refusal> {
        let message = proto::UploadBankStatementRequest {
            name: "statement".into(),
            format: format.into(),
            content: content.as_bytes().to_vec(),
            mapping_json: String::new(),
        };
        let answer = self
            .bank()
            .upload_bank_statement(call(&finance(), message))
            .await;
        Ok(answer.map_err(refused)?.into_inner())
    }

    /// Keeps a table of these lines; answers its statement.
    async fn table(&self, lines: &[String]) -> proto::BankStatement {
        let content = format!("{HEADER}\n{}\n", lines.join("\n"));
        let answer = self.upload(BankStatementFormat::Csv, &content).await;
        let answer = answer.expect("an answer");
        assert_eq!(answer.faults, []);
        answer.statement.expect("a statement")
    }

    async fn lines_of(&self, statement: &str, state: BankLineState) -> Vec<proto::BankLine> {
        let message = proto::ListBankLinesRequest {
            statement_id: statement.to_owned(),
            state: state.into(),
            page: None,
        };
        let answer = self.bank().list_bank_lines(call(&finance(), message)).await;
        answer.expect("lines").into_inner().items
    }

    async fn all_lines(&self, statement: &str) -> Vec<proto::BankLine> {
        self.lines_of(statement, BankLineState::Unspecified).await
    }

    async fn statements(&self) -> Vec<proto::BankStatement> {
        let message = proto::ListBankStatementsRequest::default();
        let answer = self
            .bank()
            .list_bank_statements(call(&finance(), message))
            .await;
        answer.expect("statements").into_inner().items
    }

    async fn credit_line(
        &self,
        caller: &Caller,
        line: &str,
        user: Option<Uuid>,
    ) -> Result<proto::BankLine, Refusal> {
        let message = proto::CreditBankLineRequest {
            line_id: line.to_owned(),
            user_id: user.map(|user| user.to_string()).unwrap_or_default(),
        };
        let answer = self.bank().credit_bank_line(call(caller, message)).await;
        Ok(answer.map_err(refused)?.into_inner().line.expect("a line"))
    }

    async fn set_aside(&self, line: &str, aside: bool) -> Result<proto::BankLine, Refusal> {
        let message = proto::SetBankLineAsideRequest {
            line_id: line.to_owned(),
            aside,
            reason: "interest".into(),
        };
        let answer = self
            .bank()
            .set_bank_line_aside(call(&finance(), message))
            .await;
        Ok(answer.map_err(refused)?.into_inner().line.expect("a line"))
    }

    async fn available(&self, user: Uuid) -> i64 {
        sqlx::query_scalar("SELECT coalesce(max(available), 0) FROM wallets WHERE user_id = $1")
            .bind(user)
            .fetch_one(&self.pool())
            .await
            .expect("a balance")
    }
}

fn paid(amount: &str, text: &str, reference: &str) -> String {
    format!("2026-11-28,{amount},USD,{text},Ada,{reference}")
}

fn reference_of(user: Uuid) -> String {
    payment_reference(user.into())
}

#[tokio::test]
async fn a_payment_is_credited_once_to_the_user_whose_reference_it_has() {
    let wallet = Wallet::spawn().await;
    let user = wallet.user();
    let spaced = reference_of(user).to_lowercase().replacen("rf", "RF ", 1);
    let statement = wallet
        .table(&[
            paid("12.50", &format!("thanks {spaced}"), "B1"),
            paid("3.00", "no reference", "B2"),
            paid("-7.00", &reference_of(user), "B3"),
        ])
        .await;
    assert_eq!(
        (
            statement.lines,
            statement.open_lines,
            statement.paid_in_minor
        ),
        (3, 2, 1550)
    );
    let lines = wallet.all_lines(&statement.id).await;
    let states: Vec<BankLineState> = lines.iter().map(proto::BankLine::state).collect();
    assert_eq!(
        states,
        [
            BankLineState::Open,
            BankLineState::Open,
            BankLineState::PaidOut
        ]
    );
    assert_eq!(lines[0].matched_user_id, user.to_string());
    assert_eq!(
        [&lines[1], &lines[2]].map(|line| line.matched_user_id.as_str()),
        ["", ""]
    );

    let caller = finance();
    let credits = (0..8).map(|_| wallet.credit_line(&caller, &lines[0].id, None));
    for outcome in join_all(credits).await {
        let line = outcome.expect("credited");
        assert_eq!(
            (line.state(), line.user_id.as_str()),
            (BankLineState::Credited, lines[0].matched_user_id.as_str())
        );
    }
    assert_eq!(wallet.available(user).await, 1250);
    let credited = wallet
        .lines_of(&statement.id, BankLineState::Credited)
        .await;
    assert_eq!(credited.len(), 1);
    let posted: (Uuid, String) =
        sqlx::query_as("SELECT id, remark FROM transactions WHERE user_id = $1")
            .bind(user)
            .fetch_one(&wallet.pool())
            .await
            .expect("one transaction");
    assert_eq!(posted.0.to_string(), credited[0].transaction_id);
    assert_eq!(posted.1, "Bank transfer of 2026-11-28, B1");

    // What is paid out is never credited; a matched line to nobody else; an unmatched one to a named user.
    let other = wallet.user();
    let outcome = wallet.credit_line(&caller, &lines[2].id, Some(user)).await;
    assert_refused(outcome, Reason::NothingChanged, Some("id"));
    let outcome = wallet.credit_line(&caller, &lines[0].id, Some(other)).await;
    assert_refused(outcome, Reason::Validation, Some("user_id"));
    let outcome = wallet.credit_line(&caller, &lines[1].id, None).await;
    assert_refused(outcome, Reason::Validation, Some("user_id"));
    let stranger = wallet
        .credit_line(&caller, &lines[1].id, Some(Uuid::now_v7()))
        .await;
    assert_refused(stranger, Reason::NotFound, Some("user_id"));
    wallet
        .credit_line(&caller, &lines[1].id, Some(other))
        .await
        .expect("credited");
    let outcome = wallet.credit_line(&caller, &lines[1].id, Some(user)).await;
    assert_refused(outcome, Reason::NothingChanged, Some("id"));
    assert_eq!(
        (wallet.available(user).await, wallet.available(other).await),
        (1250, 300)
    );
    let unknown = wallet
        .credit_line(&caller, &Uuid::now_v7().to_string(), None)
        .await;
    assert_refused(unknown, Reason::NotFound, Some("id"));
}

#[tokio::test]
async fn two_who_credit_a_line_to_different_users_at_once_credit_one() {
    let wallet = Wallet::spawn().await;
    let statement = wallet.table(&[paid("5.00", "who", "B1")]).await;
    let line = wallet.all_lines(&statement.id).await.remove(0);
    let users: Vec<Uuid> = (0..6).map(|_| wallet.user()).collect();
    let caller = finance();
    let credits = users
        .iter()
        .map(|user| wallet.credit_line(&caller, &line.id, Some(*user)));
    let outcomes = join_all(credits).await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    for outcome in outcomes.into_iter().filter(Result::is_err) {
        assert_refused(outcome, Reason::NothingChanged, Some("id"));
    }
    let mut credited = 0;
    for user in users {
        credited += wallet.available(user).await;
    }
    assert_eq!(credited, 500);
}

#[tokio::test]
async fn the_same_payment_in_any_file_is_one_line() {
    let wallet = Wallet::spawn().await;
    let user = wallet.user();
    let first = paid("1.00", &reference_of(user), "B1");
    let alike = paid("2.00", "alike", "");
    let content = format!("{HEADER}\n{first}\n{alike}\n{alike}\n");
    let uploads = (0..4).map(|_| wallet.upload(BankStatementFormat::Csv, &content));
    let answers: Vec<_> = join_all(uploads)
        .await
        .into_iter()
        .map(|it| it.expect("an answer"))
        .collect();
    assert_eq!(answers.iter().filter(|answer| !answer.repeated).count(), 1);
    let ids: Vec<String> = answers
        .into_iter()
        .map(|answer| answer.statement.expect("one").id)
        .collect();
    assert!(ids.iter().all(|id| *id == ids[0]), "one statement");

    // Another file with the same payments and a new one: in other words where the bank's reference says what it is.
    let again =
        format!("{HEADER}\n2026-11-28,1.00,USD,other words,,B1\n{alike}\n{alike}\n{alike}\n");
    let answer = wallet
        .upload(BankStatementFormat::Csv, &again)
        .await
        .expect("an answer");
    let statement = answer.statement.expect("a statement");
    assert_eq!((statement.lines, statement.known_lines), (1, 3));
    assert_eq!(wallet.statements().await.len(), 2);

    // The same day and amount for the same user, but with another reference: a person decides.
    let maybe = wallet
        .table(&[paid("1.00", &reference_of(user), "B9")])
        .await;
    assert!(wallet.all_lines(&maybe.id).await[0].similar);
}

#[tokio::test]
async fn a_file_with_a_fault_is_not_kept() {
    let wallet = Wallet::spawn().await;
    let user = wallet.user();
    let content = format!(
        "{HEADER}\n{}\n2026-11-28,1.00,EUR,wrong currency,,\n",
        paid("1.00", &reference_of(user), "B1")
    );
    let answer = wallet
        .upload(BankStatementFormat::Csv, &content)
        .await
        .expect("an answer");
    assert!(answer.statement.is_none() && !answer.columns.is_empty());
    let fault = &answer.faults[0];
    assert_eq!(
        (fault.line, fault.field.as_str(), fault.problem()),
        (3, "currency", BankFileProblem::Currency)
    );
    assert!(wallet.statements().await.is_empty());

    let nothing = wallet.upload(BankStatementFormat::Csv, "").await;
    assert_refused(nothing, Reason::Validation, Some("file"));
    let large = "x".repeat(3 * 1024 * 1024 + 1);
    let large = wallet.upload(BankStatementFormat::Csv, &large).await;
    assert_refused(large, Reason::FileTooLarge, Some("file"));
    let unknown = wallet
        .upload(BankStatementFormat::Unspecified, &content)
        .await;
    assert_refused(unknown, Reason::Validation, Some("format"));
}

#[tokio::test]
async fn without_a_bank_account_there_are_no_bank_files() {
    let wallet = Wallet::builder()
        .configure(|config| config.bank.bank_account = String::new())
        .spawn()
        .await;
    let outcome = wallet.upload(BankStatementFormat::Csv, HEADER).await;
    assert_refused(outcome, Reason::Unavailable, None);
}

#[tokio::test]
async fn a_statement_as_a_bank_sends_it_is_credited() {
    let wallet = Wallet::spawn().await;
    let user = wallet.user();
    let file = include_str!("../formats/camt.053.001.08.xml");
    let file = file.replace("{reference}", &reference_of(user));
    let answer = wallet
        .upload(BankStatementFormat::Camt053, &file)
        .await
        .expect("an answer");
    assert_eq!(answer.faults, []);
    let statement = answer.statement.expect("a statement");
    assert_eq!(
        (statement.reference.as_str(), statement.lines),
        ("NSB-2026-232", 4)
    );
    let lines = wallet.all_lines(&statement.id).await;
    for line in &lines[..2] {
        wallet
            .credit_line(&finance(), &line.id, None)
            .await
            .expect("credited");
    }
    assert_eq!(wallet.available(user).await, 125_000);
}

#[tokio::test]
async fn a_line_is_set_aside_and_taken_back() {
    let wallet = Wallet::spawn().await;
    let probe = wallet.broker.probe(&["adfolio.wallet.v1.*"]).await;
    let user = wallet.user();
    let statement = wallet
        .table(&[paid("1.00", &reference_of(user), "B1")])
        .await;
    let line = wallet.all_lines(&statement.id).await.remove(0);
    assert_refused(
        wallet.set_aside(&line.id, false).await,
        Reason::NothingChanged,
        None,
    );
    assert_eq!(waiting(&wallet, WaitingKind::BankLines).await, 1);
    let aside = wallet.set_aside(&line.id, true).await.expect("aside");
    assert_eq!(waiting(&wallet, WaitingKind::BankLines).await, 0);
    assert_eq!(
        (aside.state(), aside.reason.as_str()),
        (BankLineState::Aside, "interest")
    );
    assert_refused(
        wallet.set_aside(&line.id, true).await,
        Reason::NothingChanged,
        None,
    );
    let outcome = wallet.credit_line(&finance(), &line.id, None).await;
    assert_refused(outcome, Reason::NothingChanged, Some("id"));
    let open = wallet.set_aside(&line.id, false).await.expect("open");
    assert_eq!(
        (open.state(), open.decided_by.as_str()),
        (BankLineState::Open, "")
    );
    assert_eq!(waiting(&wallet, WaitingKind::BankLines).await, 1);
    wallet
        .credit_line(&finance(), &line.id, None)
        .await
        .expect("credited");
    assert_eq!(waiting(&wallet, WaitingKind::BankLines).await, 0);
    assert_refused(
        wallet.set_aside(&line.id, true).await,
        Reason::NothingChanged,
        None,
    );
    // With the deposit.
    let acted = probe.wait_for("adfolio.wallet.v1.StaffActed", 4).await;
    let actions: Vec<String> = acted
        .iter()
        .map(|event| event.data::<StaffActed>().expect("an event").action)
        .filter(|action| action.starts_with("wallet.bank_"))
        .collect();
    assert_eq!(
        actions,
        [
            "wallet.bank_statement_kept",
            "wallet.bank_line_set_aside",
            "wallet.bank_line_reopened"
        ]
    );
}

#[tokio::test]
async fn a_large_payment_is_credited_by_two_and_a_refused_one_can_be_asked_for_again() {
    let wallet = approvals::spawn().await;
    let user = wallet.user();
    let amount = format!("{}.{:02}", ABOVE / 100, ABOVE % 100);
    let statement = wallet
        .table(&[paid(&amount, &reference_of(user), "B1")])
        .await;
    let line = wallet.all_lines(&statement.id).await.remove(0);
    let ask = async || {
        let outcome = wallet.credit_line(&finance(), &line.id, None).await;
        assert_refused(outcome, Reason::ApprovalRequired, None);
        let line = wallet.all_lines(&statement.id).await.remove(0);
        assert_eq!(
            (line.state(), line.user_id.as_str()),
            (BankLineState::Waiting, line.matched_user_id.as_str())
        );
        line.approval_id
    };
    let first = ask().await;
    assert_eq!(ask().await, first, "a repeat asks for the same");
    approvals::decide(
        wallet.staff(),
        &second(),
        &first,
        ApprovalDecision::Rejected,
        "no",
    )
    .await
    .expect("rejected");
    let open = wallet.all_lines(&statement.id).await.remove(0);
    assert_eq!(
        (open.state(), open.user_id.as_str()),
        (BankLineState::Open, "")
    );

    let again = ask().await;
    assert_ne!(again, first);
    approvals::decide(
        wallet.staff(),
        &second(),
        &again,
        ApprovalDecision::Approved,
        "seen",
    )
    .await
    .expect("approved");
    let credited = wallet
        .credit_line(&finance(), &line.id, None)
        .await
        .expect("credited");
    assert_eq!(credited.state(), BankLineState::Credited);
    assert_eq!(wallet.available(user).await, ABOVE);
}

#[tokio::test]
async fn lists_are_paged_and_only_finance_sees_them() {
    let wallet = Wallet::spawn().await;
    let statement = wallet
        .table(&[
            paid("1.00", "a", "B1"),
            paid("2.00", "b", "B2"),
            paid("3.00", "c", "B3"),
        ])
        .await;
    let mut amounts = Vec::new();
    let mut cursor = String::new();
    loop {
        let message = proto::ListBankLinesRequest {
            statement_id: statement.id.clone(),
            state: BankLineState::Open.into(),
            page: Some(PageRequest { limit: 2, cursor }),
        };
        let page = wallet
            .bank()
            .list_bank_lines(call(&finance(), message))
            .await;
        let page = page.expect("a page").into_inner();
        amounts.extend(page.items.iter().map(|line| line.amount_minor));
        cursor = page.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(amounts, [100, 200, 300]);
    let support = Caller::staff(
        Uuid::from_u128(1),
        adfolio_kit::identity::StaffRole::Support,
    );
    let message = proto::ListBankStatementsRequest::default();
    let outcome = wallet
        .bank()
        .list_bank_statements(call(&support, message))
        .await;
    assert_refused(outcome.map_err(refused), Reason::Forbidden, None);
}
