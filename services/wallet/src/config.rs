//! The configuration of the process.

use std::path::PathBuf;
use std::time::Duration;

use adfolio_kit::clock::Clock;
use adfolio_kit::config::{
    ConfigError, ProcessArgs, ServiceArgs, optional_secret_from, secret_from,
};
use adfolio_kit::four_eyes::FourEyesArgs;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::service::ProcessConfig;
use adfolio_money::Money;
use adfolio_proof::note::{Kind, NoteError, Signer};
use clap::{Args, Parser};
use secrecy::{ExposeSecret, SecretString};

/// Default stream of the ledger's events.
pub const EVENTS_STREAM: &str = "wallet.events";

/// The ledger of Adfolio: wallets, holds, settlements, fund details
#[derive(Clone, Debug, Parser)]
#[command(name = "adfolio-wallet", version)]
pub struct Config {
    /// Ports, database, broker and logs.
    #[command(flatten)]
    pub args: ServiceArgs,
    /// How postings are batched.
    #[command(flatten)]
    pub posting: PostingArgs,
    /// Other services.
    #[command(flatten)]
    pub peers: PeerArgs,
    /// Encryption key and pepper.
    #[command(flatten)]
    pub secrets: SecretArgs,
    /// Terms of withdrawals.
    #[command(flatten)]
    pub withdrawals: WithdrawalArgs,
    /// The platform's bank account.
    #[command(flatten)]
    pub bank: BankArgs,
    /// What takes two members of staff.
    #[command(flatten)]
    pub four_eyes: FourEyesArgs,
    /// Requests that wait for the second.
    #[command(flatten)]
    pub approvals: ApprovalArgs,
    /// Signed checkpoints of the chains.
    #[command(flatten)]
    pub checkpoints: CheckpointArgs,
    /// RabbitMQ stream that keeps the ledger's events for replay
    #[arg(long, env = "EVENTS_STREAM", default_value = EVENTS_STREAM)]
    pub events_stream: String,
    /// Seconds between two proofs of the books in the background
    #[arg(long, env = "RECONCILE_INTERVAL_SECONDS", default_value_t = 900, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub reconcile_interval_seconds: u64,
    /// The service's time; tests move it.
    #[arg(skip)]
    pub clock: Clock,
}

impl Config {
    /// Time between two proofs of the books.
    pub fn reconcile_interval(&self) -> Duration {
        Duration::from_secs(self.reconcile_interval_seconds)
    }
}

/// Requests that wait for a second member of staff.
#[derive(Args, Clone, Copy, Debug)]
pub struct ApprovalArgs {
    /// Seconds between two sweeps that expire undecided requests
    #[arg(long, env = "APPROVAL_SWEEP_INTERVAL_SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub approval_sweep_interval_seconds: u64,
}

impl ApprovalArgs {
    /// Time between two sweeps.
    pub fn sweep_interval(self) -> Duration {
        Duration::from_secs(self.approval_sweep_interval_seconds)
    }
}

/// Signed checkpoints of the chains. Without a key none are made.
#[allow(
    clippy::struct_field_names,
    reason = "each is named like its environment variable"
)]
#[derive(Args, Clone, Debug)]
pub struct CheckpointArgs {
    /// Seconds between two checkpoints
    #[arg(long, env = "CHECKPOINT_INTERVAL_SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub checkpoint_interval_seconds: u64,
    /// Name of the log in its checkpoints, unique to this installation
    #[arg(long, env = "CHECKPOINT_ORIGIN", default_value = "adfolio/wallet")]
    pub checkpoint_origin: String,
    /// Ed25519 key that signs checkpoints: 32 bytes in hex, or PKCS#8 as PEM
    #[arg(long, env = "CHECKPOINT_KEY", hide_env_values = true)]
    pub checkpoint_key: Option<SecretString>,
    /// File that holds it
    #[arg(long, env = "CHECKPOINT_KEY_FILE")]
    pub checkpoint_key_file: Option<PathBuf>,
}

impl CheckpointArgs {
    /// Time between two checkpoints.
    pub fn interval(&self) -> Duration {
        Duration::from_secs(self.checkpoint_interval_seconds)
    }

    /// What signs checkpoints, if a key is configured.
    pub fn signer(&self) -> Result<Option<Signer>, ConfigError> {
        let key = optional_secret_from(
            "CHECKPOINT_KEY",
            self.checkpoint_key.as_ref(),
            self.checkpoint_key_file.as_deref(),
        );
        let Some(key) = key? else {
            return Ok(None);
        };
        let signer = Signer::new(&self.checkpoint_origin, Kind::Log, key.expose_secret());
        signer.map(Some).map_err(|error| match error {
            NoteError::Name => ConfigError::Invalid {
                name: "CHECKPOINT_ORIGIN",
                expected: "a name without spaces and plus signs",
            },
            _ => ConfigError::Invalid {
                name: "CHECKPOINT_KEY",
                expected: "an Ed25519 key: 32 bytes in hex, or PKCS#8 as PEM",
            },
        })
    }
}

impl ProcessConfig for Config {
    fn process(&self) -> &ProcessArgs {
        &self.args.process
    }
}

/// How postings are batched.
#[derive(Args, Clone, Copy, Debug)]
pub struct PostingArgs {
    /// Most postings of one batch
    #[arg(long, env = "POSTING_BATCH_MAX", default_value_t = 128, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub posting_batch_max: u16,
    /// Most postings that may wait for a batch; further ones are refused at once
    #[arg(long, env = "POSTING_QUEUE_MAX", default_value_t = 2048, value_parser = clap::value_parser!(u16).range(1..=32_768))]
    pub posting_queue_max: u16,
}

/// Other services.
#[allow(
    clippy::struct_field_names,
    reason = "each is named like its environment variable"
)]
#[derive(Args, Clone, Debug)]
pub struct PeerArgs {
    /// Address of auth, which knows the users
    #[arg(long, env = "AUTH_URL")]
    pub auth_url: String,
    /// Address of plan, whose open orders are compared with the ledger
    #[arg(long, env = "PLAN_URL")]
    pub plan_url: String,
    /// Address of coupon, whose redeemed coupons are compared with the ledger
    #[arg(long, env = "COUPON_URL")]
    pub coupon_url: String,
}

/// Encryption key and pepper. Neither is in the database.
#[derive(Args, Clone, Debug)]
pub struct SecretArgs {
    /// Secret that goes into every hash of a transaction password, at least 16 characters
    #[arg(long, env = "PAY_PASSWORD_PEPPER", hide_env_values = true)]
    pub pay_password_pepper: Option<SecretString>,
    /// File that holds it
    #[arg(long, env = "PAY_PASSWORD_PEPPER_FILE")]
    pub pay_password_pepper_file: Option<PathBuf>,
    /// Previous pepper, during a rotation: it still verifies passwords, which are then hashed with the current one
    #[arg(long, env = "PAY_PASSWORD_PEPPER_PREVIOUS", hide_env_values = true)]
    pub pay_password_pepper_previous: Option<SecretString>,
    /// File that holds it
    #[arg(long, env = "PAY_PASSWORD_PEPPER_PREVIOUS_FILE")]
    pub pay_password_pepper_previous_file: Option<PathBuf>,
    /// Key that encrypts bank cards and wallet addresses: 32 bytes in hex
    #[arg(long, env = "CARD_KEY", hide_env_values = true)]
    pub card_key: Option<SecretString>,
    /// File that holds it
    #[arg(long, env = "CARD_KEY_FILE")]
    pub card_key_file: Option<PathBuf>,
    /// Previous key, during a rotation: what it encrypted is decrypted and encrypted with the current one
    #[arg(long, env = "CARD_KEY_PREVIOUS", hide_env_values = true)]
    pub card_key_previous: Option<SecretString>,
    /// File that holds it
    #[arg(long, env = "CARD_KEY_PREVIOUS_FILE")]
    pub card_key_previous_file: Option<PathBuf>,
    /// Seconds between two runs of a key rotation
    #[arg(long, env = "ROTATION_INTERVAL_SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub rotation_interval_seconds: u64,
}

/// Least characters of a pepper.
const SHORTEST_PEPPER: usize = 16;

impl SecretArgs {
    /// The current pepper and, during a rotation, the previous one.
    pub fn peppers(&self) -> Result<(SecretString, Option<SecretString>), ConfigError> {
        let current = secret_from(
            "PAY_PASSWORD_PEPPER",
            self.pay_password_pepper.as_ref(),
            self.pay_password_pepper_file.as_deref(),
        );
        let previous = optional_secret_from(
            "PAY_PASSWORD_PEPPER_PREVIOUS",
            self.pay_password_pepper_previous.as_ref(),
            self.pay_password_pepper_previous_file.as_deref(),
        );
        Ok((
            long_enough("PAY_PASSWORD_PEPPER", current?)?,
            previous?
                .map(|pepper| long_enough("PAY_PASSWORD_PEPPER_PREVIOUS", pepper))
                .transpose()?,
        ))
    }

    /// The current key and, during a rotation, the previous one.
    pub fn card_keys(&self) -> Result<(SecretString, Option<SecretString>), ConfigError> {
        let current = secret_from(
            "CARD_KEY",
            self.card_key.as_ref(),
            self.card_key_file.as_deref(),
        )?;
        let previous = optional_secret_from(
            "CARD_KEY_PREVIOUS",
            self.card_key_previous.as_ref(),
            self.card_key_previous_file.as_deref(),
        );
        Ok((current, previous?))
    }

    /// Time between two runs of a key rotation.
    pub fn rotation_interval(&self) -> Duration {
        Duration::from_secs(self.rotation_interval_seconds)
    }
}

fn long_enough(name: &'static str, pepper: SecretString) -> Result<SecretString, ConfigError> {
    if pepper.expose_secret().len() < SHORTEST_PEPPER {
        return Err(ConfigError::Invalid {
            name,
            expected: "at least 16 characters long",
        });
    }
    Ok(pepper)
}

/// On which terms money leaves. Amounts are decimals like 1.00.
#[derive(Args, Clone, Copy, Debug)]
pub struct WithdrawalArgs {
    /// Whether money can be withdrawn to bank cards
    #[arg(long, env = "WITHDRAW_BANK_CARD_ENABLED", default_value_t = true, action = clap::ArgAction::Set)]
    pub withdraw_bank_card_enabled: bool,
    /// Least withdrawal to a bank card
    #[arg(long, env = "WITHDRAW_BANK_CARD_MIN", default_value = "1.00")]
    pub withdraw_bank_card_min: Money,
    /// Highest withdrawal to a bank card
    #[arg(long, env = "WITHDRAW_BANK_CARD_MAX", default_value = "100000.00")]
    pub withdraw_bank_card_max: Money,
    /// Fee of a withdrawal to a bank card, less than the least withdrawal
    #[arg(long, env = "WITHDRAW_BANK_CARD_FEE", default_value = "0.00")]
    pub withdraw_bank_card_fee: Money,
    /// Whether money can be withdrawn to wallet addresses
    #[arg(long, env = "WITHDRAW_WALLET_ADDRESS_ENABLED", default_value_t = true, action = clap::ArgAction::Set)]
    pub withdraw_wallet_address_enabled: bool,
    /// Least withdrawal to a wallet address
    #[arg(long, env = "WITHDRAW_WALLET_ADDRESS_MIN", default_value = "2.00")]
    pub withdraw_wallet_address_min: Money,
    /// Highest withdrawal to a wallet address
    #[arg(long, env = "WITHDRAW_WALLET_ADDRESS_MAX", default_value = "100000.00")]
    pub withdraw_wallet_address_max: Money,
    /// Fee of a withdrawal to a wallet address, less than the least withdrawal
    #[arg(long, env = "WITHDRAW_WALLET_ADDRESS_FEE", default_value = "1.00")]
    pub withdraw_wallet_address_fee: Money,
    /// Whether users return start-up funds themselves; if not, only staff do
    #[arg(long, env = "START_UP_FUNDS_RETURNABLE", default_value_t = true, action = clap::ArgAction::Set)]
    pub start_up_funds_returnable: bool,
    /// The most that leaves one wallet within 24 hours, by withdrawal and exchange together
    #[arg(long, env = "OUTFLOW_DAY_MAX", default_value = "500000.00")]
    pub outflow_day_max: Money,
    /// The most of it to one destination: the bank card, the wallet address, or exchange orders
    #[arg(long, env = "OUTFLOW_DESTINATION_MAX", default_value = "200000.00")]
    pub outflow_destination_max: Money,
    /// Hours of cooling-off after a change of login password, transaction password, bank card or wallet address: nothing
    /// leaves the wallet meanwhile; at most 720, 0 switches it off
    #[arg(long, env = "WITHDRAWAL_COOLING_OFF_HOURS", default_value_t = 24, value_parser = clap::value_parser!(u16).range(0..=720))]
    pub withdrawal_cooling_off_hours: u16,
}

/// The platform's bank account, for account statements and payment files. Without an account neither is available.
#[allow(
    clippy::struct_field_names,
    reason = "each is named like its environment variable"
)]
#[derive(Args, Clone, Debug)]
pub struct BankArgs {
    /// The platform's currency, ISO 4217
    #[arg(long, env = "CURRENCY", default_value = "USD")]
    pub currency: String,
    /// IBAN or number of the platform's bank account
    #[arg(long, env = "BANK_ACCOUNT", default_value = "")]
    pub bank_account: String,
    /// Its holder, as the bank knows it
    #[arg(long, env = "BANK_ACCOUNT_HOLDER", default_value = "Adfolio")]
    pub bank_account_holder: String,
    /// BIC of the bank, or none
    #[arg(long, env = "BANK_BIC", default_value = "")]
    pub bank_bic: String,
}

impl BankArgs {
    /// The account, in its one form, or why it cannot be one.
    pub fn configured(&self) -> Result<Bank, ConfigError> {
        let account: String = self.bank_account.split_whitespace().collect();
        let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !is_plain(&account) || account.len() > LONGEST_ACCOUNT {
            return Err(ConfigError::Invalid {
                name: "BANK_ACCOUNT",
                expected: "an IBAN or an account number of at most 34 letters and digits",
            });
        }
        let bic = self.bank_bic.trim();
        if !matches!(bic.len(), 0 | 8 | 11) || !is_plain(bic) {
            return Err(ConfigError::Invalid {
                name: "BANK_BIC",
                expected: "a BIC of 8 or 11 letters and digits",
            });
        }
        let holder = self.bank_account_holder.trim();
        if holder.is_empty() || holder.chars().count() > LONGEST_HOLDER {
            return Err(ConfigError::Invalid {
                name: "BANK_ACCOUNT_HOLDER",
                expected: "a name of at most 70 characters",
            });
        }
        if self.currency.len() != 3 || !self.currency.bytes().all(|byte| byte.is_ascii_uppercase())
        {
            return Err(ConfigError::Invalid {
                name: "CURRENCY",
                expected: "a code of ISO 4217",
            });
        }
        Ok(Bank {
            currency: self.currency.clone(),
            account: Some(account.to_ascii_uppercase()).filter(|account| !account.is_empty()),
            holder: holder.to_owned(),
            bic: Some(bic.to_ascii_uppercase()).filter(|bic| !bic.is_empty()),
        })
    }
}

/// Characters of an account's number at most; the longest are IBANs.
const LONGEST_ACCOUNT: usize = 34;

/// Characters of a holder's name that all payment systems take.
const LONGEST_HOLDER: usize = 70;

/// The platform's bank account.
#[derive(Clone, Debug)]
pub struct Bank {
    /// ISO 4217.
    pub currency: String,
    account: Option<String>,
    pub holder: String,
    pub bic: Option<String>,
}

impl Bank {
    /// The account's IBAN or number. UNAVAILABLE without one.
    pub fn account(&self) -> Result<&str, Refusal> {
        self.account
            .as_deref()
            .ok_or_else(|| Refusal::new(Reason::Unavailable).detail("BANK_ACCOUNT is not set"))
    }
}

/// A group of arguments with their defaults.
#[cfg(test)]
pub fn defaults<A: Args>() -> A {
    let command = A::augment_args(clap::Command::new("test"));
    A::from_arg_matches(&command.get_matches_from(["test"])).expect("defaults")
}
