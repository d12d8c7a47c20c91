//! The content of basic_config.

use std::sync::Arc;

use adfolio_proto::acceptor::v1::GetExchangeLimitResponse;
use adfolio_proto::notification::v1 as notification;
use adfolio_proto::notification::v1::GetPublicContentResponse;
use adfolio_proto::plan::v1::GetPutRangeResponse;
use adfolio_proto::wallet::v1 as wallet;
use adfolio_proto::wallet::v1::GetWithdrawalMethodsResponse;
use serde::Serialize;
use utoipa::ToSchema;

use crate::dto::content::{DepositMethod, LegalName, ServiceEntry};
use crate::dto::withdrawal::WithdrawalMethod;
use crate::dto::{Decode, Money, wire_struct};
use crate::errors::Failure;
use crate::lang::Lang;
use crate::uploads::MAX_FILE_BYTES;

/// Refresh interval of the ad centre's statistics, in seconds.
const STATS_REFRESH_SECONDS: u32 = 30;

/// Browsers' language codes and the language they map to. The longest matching code wins.
const CLIENT_LANGUAGES: [(&str, Lang); 12] = [
    ("zh-tw,zh-hk,zh-mo,zh-hant", Lang::Cht),
    ("de,de-de,de-at,de-ch", Lang::De),
    ("en,en-us,en-gb,en-au,en-ca,en-in", Lang::En),
    ("fr,fr-fr,fr-be,fr-ca,fr-ch", Lang::Fr),
    ("ja,ja-jp", Lang::Jp),
    ("ko,ko-kr", Lang::Kor),
    ("pt,pt-br,pt-pt", Lang::Pt),
    ("ru,ru-ru", Lang::Ru),
    ("es,es-es,es-mx,es-ar,es-419", Lang::Spa),
    ("th,th-th", Lang::Th),
    ("vi,vi-vn", Lang::Vi),
    ("zh,zh-cn,zh-sg,zh-my,zh-hans", Lang::Zh),
];

/// The services' answers.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    pub(super) content: Arc<GetPublicContentResponse>,
    pub(super) methods: Arc<GetWithdrawalMethodsResponse>,
    pub(super) put_range: GetPutRangeResponse,
    pub(super) exchange_limit: GetExchangeLimitResponse,
}

/// What a client needs before login.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BasicConfig {
    /// The platform's currency, ISO 4217.
    #[schema(example = "USD")]
    pub currency: String,
    /// Customer-service entries.
    pub customer_service_url: Vec<ServiceEntry>,
    /// Customer-service entries for deposits.
    pub recharge_customer_service_url: Vec<ServiceEntry>,
    /// Mapping of browsers' languages.
    pub client_language_map: Vec<LanguageMapping>,
    /// Withdrawal methods.
    pub withdraw_method_config: Vec<WithdrawalMethodConfig>,
    /// Hours that no money leaves by withdrawal or exchange after a change of login password, transaction password, bank
    /// card or wallet address; 0 if it does not wait.
    #[schema(example = 24)]
    pub withdrawal_cooling_off_hours: u32,
    /// The most that leaves a wallet within 24 hours, by withdrawal and exchange together.
    pub leave_limits: LeaveLimits,
    /// Ways to deposit.
    pub deposit_methods: Vec<DepositMethod>,
    /// The texts that `GET /legal` answers.
    pub legal: Vec<LegalName>,
    /// Questions and answers.
    pub faq_config: Vec<Faq>,
    /// Operating rules.
    #[schema(example = "Plans are placed by an algorithm on your behalf.")]
    pub operating_rules: String,
    /// Rules of the new-user activity.
    #[schema(example = "One coupon for every new account.")]
    pub activity_rules: String,
    /// Limits of a put over all products; both 0 if there is no product.
    pub put_amount: AmountRange,
    /// Limits of an exchange.
    pub exchange_limit: AmountRange,
    /// Refresh interval of the ad centre's statistics, in seconds.
    #[schema(example = 30)]
    pub stats_refresh_seconds: u32,
    /// Maximum size of an uploaded picture, in bytes.
    #[schema(example = 5_242_880)]
    pub upload_max_bytes: usize,
    /// Marketing texts of the first page; null for none.
    #[schema(required = true)]
    pub marketing: Option<Marketing>,
}

/// Browsers' language codes and the language they map to.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LanguageMapping {
    /// Browsers' language codes in lower case, separated by commas.
    #[schema(example = "zh-tw,zh-hk,zh-mo,zh-hant")]
    pub source: &'static str,
    /// The language.
    #[schema(example = "cht")]
    pub targets: Lang,
}

wire_struct! {
    /// Terms of a withdrawal method.
    pub struct WithdrawalMethodConfig = wallet::WithdrawalTerms {
        /// The method.
        pub method: WithdrawalMethod,
        /// Whether it is available now.
        pub enabled: bool,
        /// Minimum amount.
        pub min: Money = min_minor,
        /// Maximum amount.
        pub max: Money = max_minor,
        /// Fee, deducted from the amount.
        pub fee: Money = fee_minor,
    }
}

wire_struct! {
    /// A question and its answer.
    pub struct Faq = notification::Faq {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31")]
        pub id: String,
        /// The question.
        #[schema(example = "How long does learning take?")]
        pub title: String,
        /// The answer.
        #[schema(example = "Learning needs about 30 to 50 conversions within 7 days.")]
        pub content: String,
    }
}

/// A range of amounts.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AmountRange {
    /// The minimum.
    pub min: Money,
    /// The maximum.
    pub max: Money,
}

/// What leaves a wallet within 24 hours at most.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LeaveLimits {
    /// Altogether.
    pub per_day: Money,
    /// To one destination: the bank card, the wallet address, or exchange orders.
    pub per_destination: Money,
}

/// Marketing texts of the first page.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Marketing {
    /// One line.
    #[schema(example = "Your ads, placed for you.")]
    pub headline: String,
}

impl BasicConfig {
    pub(super) fn compose(currency: &str, parts: &Parts) -> Result<Self, Failure> {
        let content = &parts.content;
        let headline = &content.marketing_headline;
        Ok(Self {
            currency: currency.to_owned(),
            customer_service_url: Decode::decode(
                content.customer_service.clone(),
                "customer_service",
            )?,
            recharge_customer_service_url: Decode::decode(
                content.recharge_customer_service.clone(),
                "recharge_customer_service",
            )?,
            client_language_map: CLIENT_LANGUAGES
                .map(|(source, targets)| LanguageMapping { source, targets })
                .to_vec(),
            withdraw_method_config: Decode::decode(parts.methods.items.clone(), "items")?,
            withdrawal_cooling_off_hours: parts.methods.cooling_off_hours,
            leave_limits: LeaveLimits {
                per_day: Money::from_minor(parts.methods.day_max_minor),
                per_destination: Money::from_minor(parts.methods.destination_max_minor),
            },
            deposit_methods: Decode::decode(content.deposit_methods.clone(), "deposit_methods")?,
            legal: Decode::decode(content.legal.clone(), "legal")?,
            faq_config: Decode::decode(content.faq.clone(), "faq")?,
            operating_rules: content.operating_rules.clone(),
            activity_rules: content.activity_rules.clone(),
            put_amount: range(parts.put_range.min_minor, parts.put_range.max_minor),
            exchange_limit: range(
                parts.exchange_limit.min_minor,
                parts.exchange_limit.max_minor,
            ),
            stats_refresh_seconds: STATS_REFRESH_SECONDS,
            upload_max_bytes: MAX_FILE_BYTES,
            marketing: (!headline.is_empty()).then(|| Marketing {
                headline: headline.clone(),
            }),
        })
    }
}

fn range(min_minor: i64, max_minor: i64) -> AmountRange {
    AmountRange {
        min: Money::from_minor(min_minor),
        max: Money::from_minor(max_minor),
    }
}
