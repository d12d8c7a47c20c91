//! Reads CAMT.053 (ISO 20022, "bank to customer statement"), whatever its version: what is read here has the same names
//! in all of them, and names are compared without the namespace, which has the version.

use chrono::{DateTime, NaiveDate};
use roxmltree::{Document, Node, ParsingOptions};

use super::entity::{Faults, File, MOST_LINES, Ours, Parsed, Problem, Rows, amount};

/// Elements, attributes and texts of a file at most: some fifty for each line.
const MOST_NODES: u32 = 2_000_000;

/// What is read, in the order of the file.
struct Reading<'a> {
    rows: Rows,
    ours: Ours<'a>,
    faults: Faults,
    lines: Vec<Parsed>,
}

/// Reads a file, or names its faults.
pub fn read(content: &str, ours: Ours<'_>) -> Result<File, Faults> {
    let options = ParsingOptions {
        // Entities of its own could make a small file a large one.
        allow_dtd: false,
        nodes_limit: MOST_NODES,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(content, options)
        .map_err(|error| Faults::one(error.pos().row, "", Problem::Form, &error.to_string()))?;
    let root = document.root_element();
    let message = child(root, "BkToCstmrStmt").filter(|_| root.has_tag_name_of("Document"));
    let Some(message) = message else {
        return Err(Faults::one(1, "", Problem::Form, root.tag_name().name()));
    };
    let mut reading = Reading {
        rows: Rows::new(content),
        ours,
        faults: Faults::default(),
        lines: Vec::new(),
    };
    let mut reference = None;
    for statement in children(message, "Stmt") {
        reference = reference.or_else(|| text_of(statement, &["Id"]));
        reading.statement(statement);
    }
    let file = File {
        reference: reference.unwrap_or_default().to_owned(),
        lines: reading.lines,
        columns: Vec::new(),
    };
    if file.lines.is_empty() && reading.faults.is_empty() {
        let line = reading.rows.of(message.range().start);
        reading.faults.add(line, "", Problem::Missing, "");
    }
    reading.faults.or(file)
}

impl Reading<'_> {
    fn fault(&mut self, node: Node<'_, '_>, field: &'static str, problem: Problem, value: &str) {
        let line = self.rows.of(node.range().start);
        self.faults.add(line, field, problem, value);
    }

    fn statement(&mut self, statement: Node<'_, '_>) {
        let account = at(statement, &["Acct", "Id"]);
        let number =
            account.and_then(|id| text_of(id, &["IBAN"]).or_else(|| text_of(id, &["Othr", "Id"])));
        match number {
            Some(number) if self.ours.is_account(number) => {}
            number => {
                let node = account.unwrap_or(statement);
                self.fault(
                    node,
                    "account",
                    Problem::Account,
                    number.unwrap_or_default(),
                );
            }
        }
        let before = self.lines.len();
        let mut entries = (0_i64, 0_i64);
        for entry in children(statement, "Ntry") {
            if self.lines.len() >= MOST_LINES {
                self.fault(entry, "", Problem::TooMany, "");
                return;
            }
            self.entry(entry, &mut entries);
        }
        self.compare_sums(statement, entries);
        let booked: i64 = self.lines.iter().skip(before).map(|line| line.amount).sum();
        self.compare_balances(statement, booked);
    }

    /// An entry: one payment, or several that the bank has booked as one.
    fn entry(&mut self, entry: Node<'_, '_>, sums: &mut (i64, i64)) {
        let Some(total) = self.signed(entry) else {
            return;
        };
        let sum = if total < 0 { &mut sums.1 } else { &mut sums.0 };
        *sum = sum.saturating_add(total.saturating_abs());
        // What is only announced is not there yet: the bank books it in a later statement.
        let status = at(entry, &["Sts"]).map(|status| child(status, "Cd").unwrap_or(status));
        if status.and_then(|status| status.text()).map(str::trim) != Some("BOOK") {
            return;
        }
        let Some(booked_on) = self.day(entry) else {
            return;
        };
        let reference = text_of(entry, &["AcctSvcrRef"]).or_else(|| text_of(entry, &["NtryRef"]));
        let details: Vec<Node<'_, '_>> = children(entry, "NtryDtls")
            .flat_map(|details| children(details, "TxDtls"))
            .collect();
        let information = text_of(entry, &["AddtlNtryInf"]).unwrap_or_default();
        let mut parts: Vec<Parsed> = Vec::with_capacity(details.len().max(1));
        for part in &details {
            let amount = if let [_] = details.as_slice() {
                Some(total)
            } else {
                self.part(*part, total < 0)
            };
            let Some(amount) = amount else {
                return;
            };
            parts.push(self.payment(*part, (booked_on, amount), reference, information));
        }
        if parts.is_empty() {
            parts.push(self.payment(entry, (booked_on, total), reference, information));
        }
        let sum = parts
            .iter()
            .fold(0_i64, |sum, part| sum.saturating_add(part.amount));
        if sum != total {
            self.fault(entry, "amount", Problem::Sum, &decimal(sum));
            return;
        }
        self.lines.append(&mut parts);
    }

    fn payment(
        &self,
        node: Node<'_, '_>,
        (booked_on, amount): (NaiveDate, i64),
        reference: Option<&str>,
        information: &str,
    ) -> Parsed {
        let remittance = at(node, &["RmtInf"]);
        let written = remittance.into_iter().flat_map(|remittance| {
            let free = children(remittance, "Ustrd");
            let structured = remittance
                .descendants()
                .filter(|node| node.has_tag_name_of("Ref"));
            free.chain(structured)
        });
        let written: Vec<&str> = written.filter_map(|node| node.text()).collect();
        let text = if written.is_empty() {
            information.to_owned()
        } else {
            written.join(" ")
        };
        let side = if amount < 0 { "Cdtr" } else { "Dbtr" };
        let party = at(node, &["RltdPties", side]);
        // Versions from 2019 on wrap the party.
        let party = party.map(|party| child(party, "Pty").unwrap_or(party));
        let own =
            text_of(node, &["Refs", "AcctSvcrRef"]).or_else(|| text_of(node, &["Refs", "TxId"]));
        Parsed {
            line: self.rows.of(node.range().start),
            booked_on,
            amount,
            text,
            party: party
                .and_then(|party| text_of(party, &["Nm"]))
                .unwrap_or_default()
                .to_owned(),
            bank_reference: own.or(reference).unwrap_or_default().to_owned(),
            end_to_end_id: text_of(node, &["Refs", "EndToEndId"])
                .unwrap_or_default()
                .to_owned(),
        }
        .cut()
    }

    /// The signed amount of an entry, in the platform's currency.
    fn signed(&mut self, entry: Node<'_, '_>) -> Option<i64> {
        let amount = self.amount(entry, child(entry, "Amt"))?;
        match text_of(entry, &["CdtDbtInd"]) {
            Some("CRDT") => Some(amount),
            Some("DBIT") => Some(amount.saturating_neg()),
            other => {
                self.fault(entry, "direction", Problem::Form, other.unwrap_or_default());
                None
            }
        }
    }

    /// The signed amount of one of several payments of an entry.
    fn part(&mut self, part: Node<'_, '_>, is_debit: bool) -> Option<i64> {
        let own = child(part, "Amt").or_else(|| at(part, &["AmtDtls", "TxAmt", "Amt"]));
        let amount = self.amount(part, own)?;
        let is_debit = match text_of(part, &["CdtDbtInd"]) {
            Some("DBIT") => true,
            Some("CRDT") => false,
            _ => is_debit,
        };
        Some(if is_debit {
            amount.saturating_neg()
        } else {
            amount
        })
    }

    fn amount(&mut self, node: Node<'_, '_>, found: Option<Node<'_, '_>>) -> Option<i64> {
        let Some(found) = found else {
            self.fault(node, "amount", Problem::Missing, "");
            return None;
        };
        let currency = found.attribute("Ccy").unwrap_or_default();
        if currency != self.ours.currency {
            self.fault(found, "currency", Problem::Currency, currency);
            return None;
        }
        let written = found.text().unwrap_or_default().trim();
        let amount = amount(written).filter(|amount| *amount > 0);
        if amount.is_none() {
            self.fault(found, "amount", Problem::Amount, written);
        }
        amount
    }

    fn day(&mut self, entry: Node<'_, '_>) -> Option<NaiveDate> {
        let node = child(entry, "BookgDt").or_else(|| child(entry, "ValDt"));
        let Some(node) = node else {
            self.fault(entry, "date", Problem::Missing, "");
            return None;
        };
        let written = text_of(node, &["Dt"])
            .or_else(|| text_of(node, &["DtTm"]))
            .unwrap_or_default();
        let day = written
            .parse()
            .ok()
            .or_else(|| {
                DateTime::parse_from_rfc3339(written)
                    .ok()
                    .map(|time| time.date_naive())
            })
            .or_else(|| {
                written
                    .split_once('T')
                    .and_then(|(day, _)| day.parse().ok())
            });
        if day.is_none() {
            self.fault(node, "date", Problem::Date, written);
        }
        day
    }

    /// The sums that the bank states of the entries, if it does.
    fn compare_sums(&mut self, statement: Node<'_, '_>, (credits, debits): (i64, i64)) {
        for (part, found) in [("TtlCdtNtries", credits), ("TtlDbtNtries", debits)] {
            let Some(stated) = at(statement, &["TxsSummry", part, "Sum"]) else {
                continue;
            };
            let written = stated.text().unwrap_or_default().trim();
            if amount(written) != Some(found) {
                self.fault(stated, "sum", Problem::Sum, written);
            }
        }
    }

    /// The balance before and after, if both are there: what was booked lies between them.
    fn compare_balances(&mut self, statement: Node<'_, '_>, booked: i64) {
        let balance = |codes: &[&str]| {
            children(statement, "Bal").find(|balance| {
                let code = text_of(*balance, &["Tp", "CdOrPrtry", "Cd"]);
                code.is_some_and(|code| codes.contains(&code))
            })
        };
        let Some((opening, closing)) = balance(&["OPBD", "PRCD"]).zip(balance(&["CLBD"])) else {
            return;
        };
        let mut value = |node: Node<'_, '_>| {
            let found = at(node, &["Amt"]);
            let minor = found.and_then(|found| amount(found.text()?.trim()));
            let is_debit = text_of(node, &["CdtDbtInd"]) == Some("DBIT");
            let signed = minor.map(|minor| {
                if is_debit {
                    minor.saturating_neg()
                } else {
                    minor
                }
            });
            if signed.is_none() {
                self.fault(node, "balance", Problem::Amount, "");
            }
            signed
        };
        let (Some(before), Some(after)) = (value(opening), value(closing)) else {
            return;
        };
        if before.saturating_add(booked) != after {
            self.fault(closing, "balance", Problem::Sum, &decimal(after));
        }
    }
}

fn decimal(minor: i64) -> String {
    adfolio_money::Money::from_minor(minor).to_string()
}

/// Names without their namespace.
trait Named {
    fn has_tag_name_of(&self, name: &str) -> bool;
}

impl Named for Node<'_, '_> {
    fn has_tag_name_of(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

fn children<'a, 'input>(
    node: Node<'a, 'input>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'input>> {
    node.children()
        .filter(move |child| child.has_tag_name_of(name))
}

fn child<'a, 'input>(node: Node<'a, 'input>, name: &str) -> Option<Node<'a, 'input>> {
    node.children().find(|child| child.has_tag_name_of(name))
}

/// The first node at a path.
fn at<'a, 'input>(node: Node<'a, 'input>, path: &[&str]) -> Option<Node<'a, 'input>> {
    path.iter().try_fold(node, |node, name| child(node, name))
}

/// The text at a path, trimmed; none if it is empty.
fn text_of<'a>(node: Node<'a, '_>, path: &[&str]) -> Option<&'a str> {
    let text = at(node, path)?.text()?.trim();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bank::entity::Fault;

    /// The example of the standard.
    const EXAMPLE: &str = include_str!("../../tests/formats/camt.053.001.02.xml");

    /// A newer version, with several payments in one entry.
    const NEWER: &str = include_str!("../../tests/formats/camt.053.001.08.xml");

    const FINPETROL: Ours<'_> = Ours {
        account: "50000000054910000003",
        currency: "SEK",
    };

    const OURS: Ours<'_> = Ours {
        account: "DE89370400440532013000",
        currency: "USD",
    };

    fn faults(content: &str, ours: Ours<'_>) -> Vec<(u32, &'static str, Problem, String)> {
        let faults = read(content, ours).expect_err("faults").into_vec();
        let parts = |it: Fault| (it.line, it.field, it.problem, it.value);
        faults.into_iter().map(parts).collect()
    }

    #[test]
    fn the_example_of_the_standard_is_read() {
        let file = read(EXAMPLE, FINPETROL).expect("a statement");
        assert_eq!(file.reference, "AAAASESS-FP-STAT001");
        let lines: Vec<(i64, &str, &str, String)> = file
            .lines
            .iter()
            .map(|line| {
                let (party, reference) = (line.party.as_str(), line.bank_reference.as_str());
                (line.amount, party, reference, line.booked_on.to_string())
            })
            .collect();
        let day = || "2010-10-18".to_owned();
        assert_eq!(
            lines,
            [
                (10_567_850, "MUELLER", "AAAASESS-FP-CN_98765/01", day()),
                (-20_000_000, "", "AAAASESS-FP-ACCR-01", day()),
                (3_000_000, "", "AAAASESS-FP-CONF-FX", day()),
            ]
        );
    }

    #[test]
    fn each_payment_of_an_entry_is_a_line_and_what_is_only_announced_is_none() {
        let file = read(NEWER, OURS).expect("a statement");
        let lines: Vec<(i64, &str, &str, &str)> = file
            .lines
            .iter()
            .map(|it| {
                (
                    it.amount,
                    it.party.as_str(),
                    it.text.as_str(),
                    it.bank_reference.as_str(),
                )
            })
            .collect();
        assert_eq!(
            lines,
            [
                (100_000, "Ada Lovelace", "top up {reference}", "NSB-1-1"),
                (25_000, "Grace Hopper", "{reference}", "NSB-1-2"),
                (5_000, "", "Interest", "NSB-2"),
                (-8_000, "Alan Turing", "", "NSB-3"),
            ]
        );
        assert_eq!(file.lines[0].line, 25);
    }

    #[test]
    fn wrong_sums_currencies_accounts_amounts_and_dates_are_refused_with_their_lines() {
        let of = |from: &str, to: &str, ours| faults(&NEWER.replacen(from, to, 1), ours);
        let one =
            |line, field, problem, value: &str| vec![(line, field, problem, value.to_owned())];
        // A part of an entry: the entry, and with it the balance, no longer add up.
        assert_eq!(
            of("<Amt Ccy=\"USD\">250.00", "<Amt Ccy=\"USD\">250.01", OURS)[0],
            (21, "amount", Problem::Sum, "1250.01".to_owned())
        );
        assert_eq!(
            of("<Sum>1330.00", "<Sum>1330.01", OURS),
            one(18, "sum", Problem::Sum, "1330.01")
        );
        assert_eq!(
            of("<Amt Ccy=\"USD\">1120.00", "<Amt Ccy=\"USD\">1120.01", OURS),
            one(13, "balance", Problem::Sum, "1120.01")
        );
        assert_eq!(
            of("<Amt Ccy=\"USD\">1000.00", "<Amt Ccy=\"EUR\">1000.00", OURS)[0],
            (27, "currency", Problem::Currency, "EUR".to_owned())
        );
        assert_eq!(
            of("<Amt Ccy=\"USD\">50.00", "<Amt Ccy=\"USD\">50.005", OURS)[0],
            (40, "amount", Problem::Amount, "50.005".to_owned())
        );
        assert_eq!(
            of("<BookgDt><Dt>2026-11-28", "<BookgDt><Dt>28.11.2026", OURS)[0],
            (23, "date", Problem::Date, "28.11.2026".to_owned())
        );
        assert_eq!(
            faults(
                EXAMPLE,
                Ours {
                    account: "DE1",
                    ..FINPETROL
                }
            ),
            one(18, "account", Problem::Account, "50000000054910000003")
        );
    }

    #[test]
    fn what_is_no_statement_is_refused() {
        let problem = |content: &str| {
            let fault = faults(content, OURS).remove(0);
            (fault.0, fault.2)
        };
        assert_eq!(problem("<Document>\n<a></Document>"), (2, Problem::Form));
        assert_eq!(problem("<Document/>"), (1, Problem::Form));
        assert_eq!(
            problem("<!DOCTYPE a [<!ENTITY b \"c\">]><Document/>"),
            (1, Problem::Form)
        );
        let empty = "<Document><BkToCstmrStmt>\n</BkToCstmrStmt></Document>";
        assert_eq!(problem(empty), (1, Problem::Missing));
    }
}
