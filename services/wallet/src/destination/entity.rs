//! Bank cards and wallet addresses: their form, and what of them is shown.

use adfolio_kit::refusal::Refusal;
use adfolio_kit::{mask, names, wire};
use serde::{Deserialize, Serialize};
use zeroize::{Zeroize, ZeroizeOnDrop};

names! {
    /// How money leaves.
    Method as "withdrawal_method" {
        /// To the bound bank card.
        BankCard,
        /// To the bound wallet address.
        WalletAddress,
    }
}

/// Characters of a name at most.
const LONGEST_NAME: usize = 100;

/// Characters of an account number; the longest are IBANs.
const ACCOUNT: std::ops::RangeInclusive<usize> = 8..=34;

/// Digits of a mobile number.
const MOBILE: std::ops::RangeInclusive<usize> = 5..=20;

/// Characters of a network's name at most.
const LONGEST_NETWORK: usize = 20;

/// Characters of an address.
const ADDRESS: std::ops::RangeInclusive<usize> = 16..=128;

/// Characters that a mask leaves at an end.
const SHOWN: usize = 4;

/// A bank card. No Debug: it must not come into a log. Wiped when dropped.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Zeroize, ZeroizeOnDrop)]
pub struct BankCard {
    /// Name of the bank.
    pub card_name: String,
    /// Name of the holder.
    pub user_name: String,
    pub mobile: String,
    pub bank_account: String,
    pub branch_name: String,
}

impl BankCard {
    /// In its one form, or VALIDATION of what is out of form.
    pub fn checked(&self) -> Result<Self, Refusal> {
        let card_name = wire::line(&self.card_name, LONGEST_NAME, "card_name")?;
        let user_name = wire::line(&self.user_name, LONGEST_NAME, "user_name")?;
        let mobile = compact(&self.mobile);
        let digits = mobile.strip_prefix('+').unwrap_or(&mobile);
        if !MOBILE.contains(&digits.len()) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Refusal::invalid("mobile"));
        }
        let bank_account = compact(&self.bank_account).to_ascii_uppercase();
        if !is_plain(&bank_account, &ACCOUNT) {
            return Err(Refusal::invalid("bank_account"));
        }
        Ok(Self {
            card_name,
            user_name,
            mobile,
            bank_account,
            branch_name: wire::line(&self.branch_name, LONGEST_NAME, "branch_name")?,
        })
    }
}

/// A wallet address. No Debug: it must not come into a log. Wiped when dropped.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Zeroize, ZeroizeOnDrop)]
pub struct WalletAddress {
    /// Network, for example TRC20.
    pub network: String,
    pub address: String,
}

impl WalletAddress {
    /// In its one form, or VALIDATION of what is out of form.
    pub fn checked(&self) -> Result<Self, Refusal> {
        let network = wire::line(&self.network, LONGEST_NETWORK, "network")?;
        if !network
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b" -_.".contains(&byte))
        {
            return Err(Refusal::invalid("network"));
        }
        let address = self.address.trim().to_owned();
        if !is_plain(&address, &ADDRESS) {
            return Err(Refusal::invalid("address"));
        }
        Ok(Self { network, address })
    }
}

/// Where money goes.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Destination {
    BankCard(BankCard),
    WalletAddress(WalletAddress),
}

impl Destination {
    /// The method that pays out to it.
    pub fn method(&self) -> Method {
        match self {
            Self::BankCard(_) => Method::BankCard,
            Self::WalletAddress(_) => Method::WalletAddress,
        }
    }

    /// As users see it: an account by its last four characters, an address by its first and last four.
    #[must_use]
    pub fn masked(&self) -> Self {
        let mut masked = self.clone();
        match &mut masked {
            Self::BankCard(card) => {
                let shown = mask::ends(&card.bank_account, 0, SHOWN);
                card.bank_account.zeroize();
                card.bank_account = shown;
            }
            Self::WalletAddress(WalletAddress { address, .. }) => {
                let shown = mask::ends(address, SHOWN, SHOWN);
                address.zeroize();
                *address = shown;
            }
        }
        masked
    }
}

/// Without the blanks and hyphens that people group digits with.
fn compact(text: &str) -> String {
    text.chars()
        .filter(|character| !matches!(character, ' ' | '-'))
        .collect()
}

fn is_plain(text: &str, length: &std::ops::RangeInclusive<usize>) -> bool {
    length.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card() -> BankCard {
        BankCard {
            card_name: " First Bank ".into(),
            user_name: "Ada Lovelace".into(),
            mobile: "+49 151 1234-5678".into(),
            bank_account: "de89 3704 0044 0532 0130 00".into(),
            branch_name: "Main Street".into(),
        }
    }

    #[test]
    fn cards_are_brought_into_one_form_and_masked() {
        let Ok(checked) = card().checked() else {
            panic!("a good card")
        };
        assert_eq!(checked.card_name, "First Bank");
        assert_eq!(checked.mobile, "+4915112345678");
        assert_eq!(checked.bank_account, "DE89370400440532013000");
        let Destination::BankCard(masked) = Destination::BankCard(checked).masked() else {
            panic!("a card")
        };
        assert_eq!(masked.bank_account, "****3000");
    }

    #[test]
    fn what_is_out_of_form_is_named() {
        type Change = fn(&mut BankCard);
        let changes: [(Change, &str); 7] = [
            (|card| card.card_name = "  ".into(), "card_name"),
            (|card| card.user_name = "ü".repeat(101), "user_name"),
            (|card| card.mobile = "call me".into(), "mobile"),
            (|card| card.mobile = "+1".into(), "mobile"),
            // What a masked one looks like when it is sent back.
            (|card| card.bank_account = "****3000".into(), "bank_account"),
            (|card| card.bank_account = "1234567".into(), "bank_account"),
            (|card| card.branch_name = "a\nb".into(), "branch_name"),
        ];
        for (change, field) in changes {
            let mut card = card();
            change(&mut card);
            let refusal = card.checked().err().expect("a refusal");
            assert_eq!(refusal.field.as_deref(), Some(field));
        }
    }

    #[test]
    fn addresses_are_checked_and_masked() {
        let address = |network: &str, address: &str| WalletAddress {
            network: network.into(),
            address: address.into(),
        };
        let good = address("TRC20", " TJRabPrwbZy45sbavfcjinPJC18kjpRTv8 ");
        let Ok(checked) = good.checked() else {
            panic!("a good address")
        };
        let Destination::WalletAddress(masked) = Destination::WalletAddress(checked).masked()
        else {
            panic!("an address")
        };
        assert_eq!(masked.address, "TJRa****RTv8");
        for (network, text, field) in [
            ("", "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8", "network"),
            ("net<work", "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8", "network"),
            ("TRC20", "short", "address"),
            ("TRC20", "TJRabPrwbZy45 bavfcjinPJC18kjpRTv8", "address"),
        ] {
            let refusal = address(network, text).checked().err().expect("a refusal");
            assert_eq!(refusal.field.as_deref(), Some(field));
        }
    }
}
