//! The texts that staff edit.

use std::collections::BTreeMap;

use adfolio_proto::notification::v1 as notification;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Money, MoneyInput, wire_enum, wire_struct};
use crate::lang::Lang;

/// A text by language, as staff send it.
type TextInput = BTreeMap<Lang, String>;

/// A stored text by language.
type Text = BTreeMap<String, String>;

/// A customer-service entry in every language, as staff edit it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ServiceEntryContentInput {
    /// Opaque id; assigned if absent.
    pub id: Option<String>,
    /// 1 for a page inside the app; any other number opens outside of it.
    #[serde(rename = "type")]
    #[schema(example = 1)]
    pub kind: i32,
    /// Its address; https only. Its query and its fragment may have the placeholders `{username}`, `{user_id}`,
    /// `{subject}` and `{lang}`, which clients fill in.
    #[schema(example = "https://support.example.com/chat?name={username}")]
    pub url: String,
    /// Its label by language; `en` is required.
    #[schema(value_type = BTreeMap<Lang, String>, example = json!({"en": "Live chat"}))]
    pub label: TextInput,
    /// When somebody answers, by language; empty or absent shows none, otherwise `en` is required.
    #[serde(default)]
    #[schema(value_type = BTreeMap<Lang, String>, example = json!({"en": "Monday to Friday, 9:00–18:00 CET"}))]
    pub hours: TextInput,
    /// How soon somebody answers, by language; empty or absent shows none, otherwise `en` is required.
    #[serde(default)]
    #[schema(value_type = BTreeMap<Lang, String>, example = json!({"en": "Usually within an hour"}))]
    pub answer_time: TextInput,
}

impl ServiceEntryContentInput {
    fn into_proto(self) -> notification::ServiceEntryContent {
        notification::ServiceEntryContent {
            id: self.id.unwrap_or_default(),
            r#type: self.kind,
            url: self.url,
            label: by_code(self.label),
            hours: by_code(self.hours),
            answer_time: by_code(self.answer_time),
        }
    }
}

/// Declares a customer-service entry with its label in one language or in all.
macro_rules! service_entry {
    ($(#[$meta:meta])* $name:ident { $($label:tt)* }) => {
        wire_struct! {
            $(#[$meta])*
            pub struct $name = notification::$name {
                /// Opaque id.
                #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e30")]
                pub id: String,
                /// 1 for a page inside the app; any other number opens outside of it.
                #[serde(rename = "type")]
                #[schema(example = 1)]
                pub kind: i32 = r#type,
                /// Its address. Clients fill in `{username}`, `{user_id}`, `{subject}` and `{lang}` in its query and its
                /// fragment, percent-encoded and empty for what they do not know. An address without any of them gets
                /// the query parameters `name` and `subject`.
                #[schema(example = "https://support.example.com/chat?name={username}")]
                pub url: String,
                $($label)*
            }
        }
    };
}

service_entry! {
    /// A customer-service entry.
    ServiceEntry {
        /// Its label in the caller's language.
        #[schema(example = "Live chat")]
        pub label: String,
        /// When somebody answers; empty if staff have not said.
        #[schema(example = "Monday to Friday, 9:00–18:00 CET")]
        pub hours: String,
        /// How soon somebody answers; empty if staff have not said.
        #[schema(example = "Usually within an hour")]
        pub answer_time: String,
    }
}

service_entry! {
    /// A customer-service entry in every language.
    ServiceEntryContent {
        /// Its label by language.
        #[schema(value_type = BTreeMap<String, String>, example = json!({"en": "Live chat"}))]
        pub label: Text,
        /// When somebody answers, by language; empty if staff have not said.
        #[schema(value_type = BTreeMap<String, String>, example = json!({"en": "Monday to Friday, 9:00–18:00 CET"}))]
        pub hours: Text,
        /// How soon somebody answers, by language; empty if staff have not said.
        #[schema(value_type = BTreeMap<String, String>, example = json!({"en": "Usually within an hour"}))]
        pub answer_time: Text,
    }
}

wire_struct! {
    /// A way to deposit.
    pub struct DepositMethod = notification::DepositMethod {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e5a")]
        pub id: String,
        /// Its name.
        #[schema(example = "Bank transfer")]
        pub name: String,
        /// The least of one deposit; null for no limit.
        #[schema(required = true)]
        pub min: Option<Money> = min_minor,
        /// The most of one deposit; null for no limit.
        #[schema(required = true)]
        pub max: Option<Money> = max_minor,
        /// What it costs.
        #[schema(example = "No fee")]
        pub fee: String,
        /// When the money is there.
        #[schema(example = "Within one working day")]
        pub arrival: String,
    }
}

wire_struct! {
    /// A way to deposit, in every language.
    pub struct DepositMethodContent = notification::DepositMethodContent {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e5a")]
        pub id: String,
        /// Its name by language.
        #[schema(value_type = BTreeMap<String, String>, example = json!({"en": "Bank transfer"}))]
        pub name: Text,
        /// The least of one deposit; null for no limit.
        #[schema(required = true)]
        pub min: Option<Money> = min_minor,
        /// The most of one deposit; null for no limit.
        #[schema(required = true)]
        pub max: Option<Money> = max_minor,
        /// What it costs, by language.
        #[schema(value_type = BTreeMap<String, String>, example = json!({"en": "No fee"}))]
        pub fee: Text,
        /// When the money is there, by language.
        #[schema(value_type = BTreeMap<String, String>, example = json!({"en": "Within one working day"}))]
        pub arrival: Text,
    }
}

/// A way to deposit in every language, as staff edit it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct DepositMethodContentInput {
    /// Opaque id; assigned if absent.
    pub id: Option<String>,
    /// Its name by language; `en` is required.
    #[schema(value_type = BTreeMap<Lang, String>, example = json!({"en": "Bank transfer"}))]
    pub name: TextInput,
    /// The least of one deposit; absent for no limit.
    pub min: Option<MoneyInput>,
    /// The most of one deposit; absent for no limit.
    pub max: Option<MoneyInput>,
    /// What it costs, by language; `en` is required.
    #[schema(value_type = BTreeMap<Lang, String>, example = json!({"en": "No fee"}))]
    pub fee: TextInput,
    /// When the money is there, by language; `en` is required.
    #[schema(value_type = BTreeMap<Lang, String>, example = json!({"en": "Within one working day"}))]
    pub arrival: TextInput,
}

impl DepositMethodContentInput {
    fn into_proto(self) -> notification::DepositMethodContent {
        notification::DepositMethodContent {
            id: self.id.unwrap_or_default(),
            name: by_code(self.name),
            min_minor: self.min.map(MoneyInput::minor),
            max_minor: self.max.map(MoneyInput::minor),
            fee: by_code(self.fee),
            arrival: by_code(self.arrival),
        }
    }
}

wire_enum! {
    /// A text that the law or the business asks for.
    LegalName = notification::LegalText {
        /// Who runs the service.
        Imprint,
        /// Terms of service.
        Terms,
        /// Privacy policy.
        Privacy,
        /// Fees.
        Fees,
    }
}

/// Selects a legal text.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct LegalQuery {
    /// Which text.
    pub name: LegalName,
}

/// A legal text.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Legal {
    /// Which text.
    pub name: LegalName,
    /// In the caller's language, in English where that language has none. Paragraphs are separated by blank lines.
    #[schema(example = "These terms apply to every account.")]
    pub text: String,
}

/// A question and its answer in every language, as staff edit them.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct FaqContentInput {
    /// Opaque id; assigned if absent.
    pub id: Option<String>,
    /// The question by language; `en` is required.
    #[schema(value_type = BTreeMap<Lang, String>, example = json!({"en": "How long does learning take?"}))]
    pub title: TextInput,
    /// The answer by language; `en` is required.
    #[schema(value_type = BTreeMap<Lang, String>, example = json!({"en": "About 30 to 50 conversions within 7 days."}))]
    pub content: TextInput,
}

wire_struct! {
    /// A question and its answer, in every language.
    pub struct FaqContent = notification::FaqContent {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3c")]
        pub id: String,
        /// The question by language.
        #[schema(value_type = BTreeMap<String, String>, example = json!({"en": "How long does learning take?"}))]
        pub title: Text,
        /// The answer by language.
        #[schema(value_type = BTreeMap<String, String>, example = json!({"en": "About 30 to 50 conversions within 7 days."}))]
        pub content: Text,
    }
}

/// The marketing texts, as staff edit them.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct MarketingContentInput {
    /// The headline by language; `en` is required.
    #[schema(value_type = BTreeMap<Lang, String>, example = json!({"en": "Advertise where people play"}))]
    pub headline: TextInput,
}

/// The marketing texts.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MarketingContent {
    /// The headline by language.
    #[schema(value_type = BTreeMap<String, String>, example = json!({"en": "Advertise where people play"}))]
    pub headline: Text,
}

/// New texts. Absent parts stay as they are.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ContentRequest {
    /// The version that the texts are based on: a part that was changed after it is refused. Whatever stands is replaced if
    /// absent.
    #[schema(minimum = 1, example = 7)]
    pub version: Option<i64>,
    /// For questions of every kind.
    pub customer_service: Option<Vec<ServiceEntryContentInput>>,
    /// For deposits.
    pub recharge_customer_service: Option<Vec<ServiceEntryContentInput>>,
    /// Questions and answers, at most 50.
    pub faq: Option<Vec<FaqContentInput>>,
    /// Operating rules by language; `en` is required.
    #[schema(value_type = Option<BTreeMap<Lang, String>>, example = json!({"en": "Plans run until their budget is consumed."}))]
    pub operating_rules: Option<TextInput>,
    /// Rules of the new-user activity by language; `en` is required.
    #[schema(value_type = Option<BTreeMap<Lang, String>>, example = json!({"en": "Coupons are distributed periodically."}))]
    pub activity_rules: Option<TextInput>,
    /// The marketing texts; an empty headline shows none.
    pub marketing: Option<MarketingContentInput>,
    /// Ways to deposit, at most 20.
    pub deposit_methods: Option<Vec<DepositMethodContentInput>>,
    /// Who runs the service, by language; empty shows none, otherwise `en` is required.
    #[schema(value_type = Option<BTreeMap<Lang, String>>, example = json!({"en": "Adfolio Ltd, 1 Example Street"}))]
    pub imprint: Option<TextInput>,
    /// Terms of service, likewise.
    #[schema(value_type = Option<BTreeMap<Lang, String>>, example = json!({"en": "These terms apply to every account."}))]
    pub terms: Option<TextInput>,
    /// Privacy policy, likewise.
    #[schema(value_type = Option<BTreeMap<Lang, String>>, example = json!({"en": "We keep what the law asks for."}))]
    pub privacy: Option<TextInput>,
    /// Fees, likewise.
    #[schema(value_type = Option<BTreeMap<Lang, String>>, example = json!({"en": "A withdrawal costs 1.50."}))]
    pub fees: Option<TextInput>,
}

impl ContentRequest {
    /// To a service's message with the parts that were sent and their names.
    pub fn into_proto(self) -> notification::SetContentRequest {
        let sent = [
            ("customer_service", self.customer_service.is_some()),
            (
                "recharge_customer_service",
                self.recharge_customer_service.is_some(),
            ),
            ("faq", self.faq.is_some()),
            ("operating_rules", self.operating_rules.is_some()),
            ("activity_rules", self.activity_rules.is_some()),
            ("marketing_headline", self.marketing.is_some()),
            ("deposit_methods", self.deposit_methods.is_some()),
            ("imprint", self.imprint.is_some()),
            ("terms", self.terms.is_some()),
            ("privacy", self.privacy.is_some()),
            ("fees", self.fees.is_some()),
        ];
        let parts = sent.into_iter().filter(|(_, is_sent)| *is_sent);
        let parts = parts.map(|(part, _)| part.to_owned()).collect();
        notification::SetContentRequest {
            parts,
            version: self.version.unwrap_or(0),
            content: Some(self.into_content()),
        }
    }

    fn into_content(self) -> notification::Content {
        let entries = |entries: Vec<ServiceEntryContentInput>| {
            entries
                .into_iter()
                .map(ServiceEntryContentInput::into_proto)
                .collect()
        };
        let faq = |faq: FaqContentInput| notification::FaqContent {
            id: faq.id.unwrap_or_default(),
            title: by_code(faq.title),
            content: by_code(faq.content),
        };
        let methods = self.deposit_methods.into_iter().flatten();
        let legal = |text: Option<TextInput>| by_code(text.unwrap_or_default());
        notification::Content {
            customer_service: entries(self.customer_service.unwrap_or_default()),
            recharge_customer_service: entries(self.recharge_customer_service.unwrap_or_default()),
            faq: self.faq.into_iter().flatten().map(faq).collect(),
            operating_rules: by_code(self.operating_rules.unwrap_or_default()),
            activity_rules: by_code(self.activity_rules.unwrap_or_default()),
            marketing_headline: self
                .marketing
                .map(|marketing| by_code(marketing.headline))
                .unwrap_or_default(),
            deposit_methods: methods.map(DepositMethodContentInput::into_proto).collect(),
            imprint: legal(self.imprint),
            terms: legal(self.terms),
            privacy: legal(self.privacy),
            fees: legal(self.fees),
        }
    }
}

/// A text by language code, for a service's message.
pub fn by_code<M: FromIterator<(String, String)>>(text: BTreeMap<Lang, String>) -> M {
    text.into_iter()
        .map(|(lang, text)| (lang.code().to_owned(), text))
        .collect()
}

wire_struct! {
    /// The texts that staff edit.
    pub struct Content = notification::Content as content, version: i64 {
        /// Counts the changes. Sent back with new texts, it says which ones they replace.
        #[schema(example = 7)]
        pub version: i64 = (version),
        /// For questions of every kind.
        pub customer_service: Vec<ServiceEntryContent>,
        /// For deposits.
        pub recharge_customer_service: Vec<ServiceEntryContent>,
        /// Questions and answers.
        pub faq: Vec<FaqContent>,
        /// Operating rules by language.
        #[schema(value_type = BTreeMap<String, String>, example = json!({"en": "Plans run until their budget is consumed."}))]
        pub operating_rules: Text,
        /// Rules of the new-user activity by language.
        #[schema(value_type = BTreeMap<String, String>, example = json!({"en": "Coupons are distributed periodically."}))]
        pub activity_rules: Text,
        /// The marketing texts; null when none are shown.
        #[schema(required = true)]
        pub marketing: Option<MarketingContent> = (marketing(content.marketing_headline)),
        /// Ways to deposit.
        pub deposit_methods: Vec<DepositMethodContent>,
        /// Who runs the service, by language; empty shows none.
        #[schema(value_type = BTreeMap<String, String>, example = json!({"en": "Adfolio Ltd, 1 Example Street"}))]
        pub imprint: Text,
        /// Terms of service, by language; empty shows none.
        #[schema(value_type = BTreeMap<String, String>, example = json!({"en": "These terms apply to every account."}))]
        pub terms: Text,
        /// Privacy policy, by language; empty shows none.
        #[schema(value_type = BTreeMap<String, String>, example = json!({"en": "We keep what the law asks for."}))]
        pub privacy: Text,
        /// Fees, by language; empty shows none.
        #[schema(value_type = BTreeMap<String, String>, example = json!({"en": "A withdrawal costs 1.50."}))]
        pub fees: Text,
    }
}

fn marketing(headline: impl IntoIterator<Item = (String, String)>) -> Option<MarketingContent> {
    let headline: Text = headline.into_iter().collect();
    (!headline.is_empty()).then_some(MarketingContent { headline })
}
