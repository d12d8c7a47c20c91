//! Payment files: what the bank is to pay, as pain.001 of ISO 20022 or as CSV.
//!
//! The same withdrawals make the same bytes: a file that is read again is the same order to the bank, which knows it by
//! the batch's id and refuses to carry it out twice.

use adfolio_kit::error::CoreError;
use adfolio_kit::payment_reference::is_iban;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::spreadsheet::{inert, inert_phone};
use adfolio_money::Money;
use chrono::{DateTime, SecondsFormat, Utc};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use zeroize::Zeroizing;

use super::entity::FileFormat;
use crate::config::Bank;
use crate::destination::entity::{BankCard, Destination};
use crate::error::WalletError;
use crate::ids::{PaymentBatchId, WithdrawalId};

/// The message, whose schema the tests have.
const NAMESPACE: &str = "urn:iso:std:iso:20022:tech:xsd:pain.001.001.09";

/// Characters of a holder's name that all payment systems take.
const LONGEST_NAME: usize = 70;

/// A payment of a file.
pub struct Payment {
    pub withdrawal_id: WithdrawalId,
    /// What arrives: the amount less the fee.
    pub payout: i64,
    pub destination: Destination,
}

/// What a file says besides its payments.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    pub batch: PaymentBatchId,
    /// When it was released.
    pub released_at: DateTime<Utc>,
    pub bank: &'a Bank,
}

/// The file of a batch.
pub fn write(
    format: FileFormat,
    order: Order<'_>,
    payments: &[Payment],
) -> Result<Zeroizing<Vec<u8>>, WalletError> {
    match format {
        FileFormat::Pain001 => pain(order, payments),
        FileFormat::Csv => table(order, payments),
    }
}

/// How a payment is named to the bank, and by the bank in its statements.
pub fn end_to_end_id(id: WithdrawalId) -> String {
    id.0.simple().to_string()
}

fn table(order: Order<'_>, payments: &[Payment]) -> Result<Zeroizing<Vec<u8>>, WalletError> {
    let broken = |_| CoreError::Corrupt("payment file");
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer
        .write_record([
            "end_to_end_id",
            "amount",
            "currency",
            "holder",
            "account",
            "bank",
            "branch",
            "mobile",
            "network",
        ])
        .map_err(broken)?;
    for payment in payments {
        let id = end_to_end_id(payment.withdrawal_id);
        let amount = Money::from_minor(payment.payout).to_string();
        let currency = order.bank.currency.as_str().to_owned();
        let none = String::new;
        let record: [String; 9] = match &payment.destination {
            Destination::BankCard(card) => [
                id,
                amount,
                currency,
                inert(&card.user_name),
                inert(&card.bank_account),
                inert(&card.card_name),
                inert(&card.branch_name),
                inert_phone(&card.mobile),
                none(),
            ],
            Destination::WalletAddress(wallet) => [
                id,
                amount,
                currency,
                none(),
                inert(&wallet.address),
                none(),
                none(),
                none(),
                inert(&wallet.network),
            ],
        };
        writer.write_record(&record).map_err(broken)?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|_| CoreError::Corrupt("payment file"))?;
    Ok(Zeroizing::new(bytes))
}

fn pain(order: Order<'_>, payments: &[Payment]) -> Result<Zeroizing<Vec<u8>>, WalletError> {
    let account = order.bank.account()?;
    let cards: Vec<(&Payment, &BankCard)> = payments
        .iter()
        .map(|payment| match &payment.destination {
            Destination::BankCard(card) => Ok((payment, card)),
            Destination::WalletAddress(_) => Err(Refusal::invalid("format")),
        })
        .collect::<Result<_, _>>()?;
    let total = payments
        .iter()
        .map(|payment| Money::from_minor(payment.payout))
        .try_fold(Money::ZERO, Money::checked_add)
        .map_err(|_| Refusal::new(Reason::AmountOutOfRange))?;
    let count = payments.len().to_string();
    let id = order.batch.0.simple().to_string();
    let created = order.released_at.to_rfc3339_opts(SecondsFormat::Secs, true);
    let day = order.released_at.date_naive().to_string();
    let mut xml = Xml::new();
    xml.open_with("Document", ("xmlns", NAMESPACE));
    xml.open("CstmrCdtTrfInitn");
    xml.open("GrpHdr");
    xml.text("MsgId", &id);
    xml.text("CreDtTm", &created);
    xml.text("NbOfTxs", &count);
    xml.text("CtrlSum", &total.to_string());
    xml.wrapped(&["InitgPty", "Nm"], &order.bank.holder);
    xml.close("GrpHdr");
    xml.open("PmtInf");
    xml.text("PmtInfId", &id);
    xml.text("PmtMtd", "TRF");
    xml.text("NbOfTxs", &count);
    xml.text("CtrlSum", &total.to_string());
    xml.wrapped(&["ReqdExctnDt", "Dt"], &day);
    xml.wrapped(&["Dbtr", "Nm"], &order.bank.holder);
    xml.account("DbtrAcct", account);
    match &order.bank.bic {
        Some(bic) => xml.wrapped(&["DbtrAgt", "FinInstnId", "BICFI"], bic),
        // The bank that gets the file is the one that pays.
        None => xml.wrapped(&["DbtrAgt", "FinInstnId", "Othr", "Id"], "NOTPROVIDED"),
    }
    for (payment, card) in cards {
        xml.open("CdtTrfTxInf");
        xml.wrapped(
            &["PmtId", "EndToEndId"],
            &end_to_end_id(payment.withdrawal_id),
        );
        let amount = Money::from_minor(payment.payout).to_string();
        xml.open("Amt");
        xml.text_with("InstdAmt", ("Ccy", &order.bank.currency), &amount);
        xml.close("Amt");
        xml.open("CdtrAgt");
        xml.open("FinInstnId");
        xml.text("Nm", &short(&card.card_name));
        xml.wrapped(&["PstlAdr", "AdrLine"], &short(&card.branch_name));
        xml.close("FinInstnId");
        xml.close("CdtrAgt");
        xml.wrapped(&["Cdtr", "Nm"], &short(&card.user_name));
        xml.account("CdtrAcct", &card.bank_account);
        xml.wrapped(
            &["RmtInf", "Ustrd"],
            &format!("Withdrawal {}", payment.withdrawal_id),
        );
        xml.close("CdtTrfTxInf");
    }
    xml.close("PmtInf");
    xml.close("CstmrCdtTrfInitn");
    xml.close("Document");
    xml.finish()
}

fn short(name: &str) -> String {
    name.chars().take(LONGEST_NAME).collect()
}

/// Writes elements. An error is kept until the end: to a vector there is none.
struct Xml {
    writer: Writer<Vec<u8>>,
    is_broken: bool,
}

impl Xml {
    fn new() -> Self {
        let mut xml = Self {
            writer: Writer::new(Vec::new()),
            is_broken: false,
        };
        xml.write(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)));
        xml
    }

    fn write(&mut self, event: Event<'_>) {
        self.is_broken |= self.writer.write_event(event).is_err();
    }

    fn open(&mut self, name: &str) {
        self.write(Event::Start(quick_xml::events::BytesStart::new(name)));
    }

    fn open_with(&mut self, name: &str, attribute: (&str, &str)) {
        let start = quick_xml::events::BytesStart::new(name).with_attributes([attribute]);
        self.write(Event::Start(start));
    }

    fn close(&mut self, name: &str) {
        self.write(Event::End(quick_xml::events::BytesEnd::new(name)));
    }

    fn text(&mut self, name: &str, text: &str) {
        self.open(name);
        self.write(Event::Text(BytesText::new(text)));
        self.close(name);
    }

    fn text_with(&mut self, name: &str, attribute: (&str, &str), text: &str) {
        self.open_with(name, attribute);
        self.write(Event::Text(BytesText::new(text)));
        self.close(name);
    }

    /// A text inside of elements, the outermost first.
    fn wrapped(&mut self, names: &[&str], text: &str) {
        for name in names {
            self.open(name);
        }
        self.write(Event::Text(BytesText::new(text)));
        for name in names.iter().rev() {
            self.close(name);
        }
    }

    fn account(&mut self, name: &str, number: &str) {
        if is_iban(number) {
            self.wrapped(&[name, "Id", "IBAN"], number);
        } else {
            self.wrapped(&[name, "Id", "Othr", "Id"], number);
        }
    }

    fn finish(self) -> Result<Zeroizing<Vec<u8>>, WalletError> {
        let bytes = Zeroizing::new(self.writer.into_inner());
        if self.is_broken {
            return Err(CoreError::Corrupt("payment file").into());
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use roxmltree::Document;
    use uuid::Uuid;

    use super::*;
    use crate::config::{BankArgs, defaults};
    use crate::destination::entity::WalletAddress;

    /// The message's schema, as ISO publishes it.
    const SCHEMA: &str = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/formats/pain.001.001.09.xsd"
    );

    fn bank(bic: &str) -> Bank {
        let args = BankArgs {
            bank_account: "DE89 3704 0044 0532 0130 00".to_owned(),
            bank_bic: bic.to_owned(),
            ..defaults()
        };
        args.configured().expect("an account")
    }

    fn card(account: &str, name: &str) -> Destination {
        Destination::BankCard(BankCard {
            card_name: "North <Sea> Bank".to_owned(),
            user_name: name.to_owned(),
            mobile: "+4915112345678".to_owned(),
            bank_account: account.to_owned(),
            branch_name: "Harbour & Co".to_owned(),
        })
    }

    fn payment(id: u128, payout: i64, destination: Destination) -> Payment {
        Payment {
            withdrawal_id: WithdrawalId(Uuid::from_u128(id)),
            payout,
            destination,
        }
    }

    fn file(format: FileFormat, bank: &Bank, payments: &[Payment]) -> String {
        let order = Order {
            batch: PaymentBatchId(Uuid::from_u128(0xba)),
            released_at: "2026-11-28T09:30:00Z".parse().expect("a time"),
            bank,
        };
        let bytes = write(format, order, payments).expect("a file");
        String::from_utf8(bytes.to_vec()).expect("UTF-8")
    }

    fn two() -> [Payment; 2] {
        [
            payment(1, 123_456, card("GB29NWBK60161331926819", "Ada & <Grace>")),
            payment(2, 44, card("6222021234567890", &"é".repeat(90))),
        ]
    }

    #[test]
    fn a_payment_file_is_valid_by_the_schema_of_the_standard() {
        for bic in ["", "COBADEFFXXX"] {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("payments.xml");
            std::fs::write(&path, file(FileFormat::Pain001, &bank(bic), &two())).expect("a file");
            let checked = Command::new("xmllint")
                .args(["--nonet", "--noout", "--schema", SCHEMA])
                .arg(&path)
                .output()
                .expect("xmllint, of the package libxml2-utils");
            let told = String::from_utf8_lossy(&checked.stderr);
            assert!(checked.status.success(), "{told}");
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let xml = file(FileFormat::Pain001, &bank(""), &two());
        assert_eq!(
            xml,
            file(FileFormat::Pain001, &bank(""), &two()),
            "the same bytes each time"
        );
        let document = Document::parse(&xml).expect("XML");
        let texts = |name: &str| -> Vec<&str> {
            let named = document
                .descendants()
                .filter(|node| node.tag_name().name() == name);
            named.filter_map(|node| node.text()).collect()
        };
        assert_eq!(texts("NbOfTxs"), ["2", "2"]);
        assert_eq!(texts("CtrlSum"), ["1235.00", "1235.00"]);
        assert_eq!(texts("InstdAmt"), ["1234.56", "0.44"]);
        assert_eq!(
            texts("IBAN"),
            ["DE89370400440532013000", "GB29NWBK60161331926819"]
        );
        let ids: Vec<Uuid> = texts("EndToEndId")
            .iter()
            .map(|id| id.parse().expect("an id"))
            .collect();
        assert_eq!(ids, [1, 2].map(Uuid::from_u128));
        let short = "é".repeat(70);
        assert_eq!(
            texts("Nm")[3..],
            ["Ada & <Grace>", "North <Sea> Bank", short.as_str()]
        );
    }

    #[test]
    fn a_table_has_every_payment_and_no_formula() {
        let wallet = Destination::WalletAddress(WalletAddress {
            network: "TRC20".to_owned(),
            address: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8".to_owned(),
        });
        let payments = [
            payment(1, 5, card("6222021234567890", "=cmd()")),
            payment(2, 6, wallet),
        ];
        let table = file(FileFormat::Csv, &bank(""), &payments);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(
            lines[1..],
            [
                "00000000000000000000000000000001,0.05,USD,'=cmd(),6222021234567890,North <Sea> Bank,Harbour & Co,+4915112345678,",
                "00000000000000000000000000000002,0.06,USD,,TJRabPrwbZy45sbavfcjinPJC18kjpRTv8,,,,TRC20",
            ]
        );
        let order = Order {
            batch: PaymentBatchId(Uuid::from_u128(1)),
            released_at: DateTime::UNIX_EPOCH,
            bank: &bank(""),
        };
        assert!(
            write(FileFormat::Pain001, order, &payments).is_err(),
            "no bank pays to a wallet address"
        );
    }

    #[test]
    fn an_account_that_cannot_be_one_stops_the_service() {
        let refused = |change: fn(&mut BankArgs)| {
            let mut args = defaults();
            change(&mut args);
            args.configured().is_err()
        };
        assert!(refused(|args| args.bank_bic = "AB".to_owned()));
        assert!(refused(|args| args.bank_account = "DE89/3704".to_owned()));
        assert!(refused(|args| args.bank_account = "1".repeat(35)));
        assert!(refused(|args| args.bank_account_holder = " ".to_owned()));
        assert!(refused(|args| args.currency = "usd".to_owned()));
        let none = defaults::<BankArgs>().configured().expect("no account");
        assert!(none.account().is_err());
    }
}
