//! `adfolioctl demo`: data for a new installation, and a network that delivers its plans.
//!
//! Everything is created by calls of staff and users. Loading again creates only what is missing: each object is
//! looked up first and created with a fixed idempotency key, so two concurrent loads create it once, too. What takes two
//! people, adfolioctl asks for and the second admin decides; a load that was broken off between the two goes on there.

mod catalog;
mod coupons;
mod notices;
mod plans;
mod reports;
mod second;
mod simnet;
mod wallet;

use std::future::Future;
use std::process::ExitCode;

use adfolio_kit::refusal::Reason;
use adfolio_proto::acceptor::v1::{
    CreateAcceptanceCodeRequest, CreateAcceptorRequest, ExchangeDirection, ListAcceptorsRequest,
    Offer,
};
use adfolio_proto::auth::v1::{
    CreateLicenseKeysRequest, ListUsersRequest, LogoutRequest, RegisterRequest,
};
use adfolio_proto::notification::v1::{GetContentRequest, SetContentRequest};
use adfolio_proto::plan::v1::{
    AdminListProductsRequest, CreateOperatorRequest, CreateProductRequest, FollowRequest,
    GetCurrentOperatorRequest, ListOperatorsRequest, Product,
};
use anyhow::{Context as _, bail};
use chrono::{Months, Utc};
use clap::Subcommand;
use uuid::Uuid;

use crate::content;
use crate::output::say;
use crate::services::{CallError, Services, ask, keyed, list, on_behalf_of, operator};

/// Maximum number of items that a search reads.
const MOST_ITEMS: u32 = 20_000;

/// What staff would write, in the format of `adfolioctl content`.
const TEXTS: &str = include_str!("content.json");

/// The parts of it that are written.
const PARTS: [&str; 7] = [
    "customer_service",
    "recharge_customer_service",
    "deposit_methods",
    "imprint",
    "terms",
    "privacy",
    "fees",
];

/// Demo data, and a network for it
#[derive(Debug, Subcommand)]
pub enum DemoCommand {
    /// Creates the missing demo data
    Load,
    /// Runs a simulated network, which shows what it is allotted to the visitors of a log
    Simnet(simnet::Simnet),
}

impl DemoCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<ExitCode> {
        match self {
            Self::Load => load(services).await.map(|()| ExitCode::SUCCESS),
            Self::Simnet(simnet) => simnet.run(services).await.map(|()| ExitCode::SUCCESS),
        }
    }
}

/// Creates the missing demo data.
pub async fn load(services: &Services) -> anyhow::Result<()> {
    license_keys(services).await.context("licence keys")?;
    let user = advertiser(services).await.context("advertiser")?;
    wallet::deposit(services, user).await.context("deposit")?;
    let operator_id = proxy_operator(services).await.context("operator")?;
    follow(services, user, &operator_id)
        .await
        .context("follow")?;
    let products = products(services).await.context("products")?;
    plans::load(services, user, &operator_id, &products)
        .await
        .context("plans")?;
    coupons::load(services, user).await.context("coupons")?;
    wallet::withdrawal(services, user)
        .await
        .context("withdrawal")?;
    notices::load(services, user).await.context("notices")?;
    texts(services).await.context("texts")?;
    acceptors(services).await.context("acceptors")?;
    say("the demo data are there");
    Ok(())
}

async fn license_keys(services: &Services) -> anyhow::Result<()> {
    let mut codes: Vec<String> = (1..=catalog::LICENSE_KEYS)
        .map(|number| format!("DEMO-LICENSE-{number:04}"))
        .collect();
    codes.push(catalog::ADVERTISER_KEY.to_owned());
    let count = u32::try_from(codes.len())?;
    let message = CreateLicenseKeysRequest {
        count,
        note: "demo".to_owned(),
        activate: true,
        codes,
    };
    ask!(
        services.auth_admin,
        create_license_keys,
        operator(),
        message
    )?;
    Ok(())
}

/// The advertiser's id.
async fn advertiser(services: &Services) -> anyhow::Result<Uuid> {
    if let Some(id) = find_advertiser(services).await? {
        return Ok(id);
    }
    let message = RegisterRequest {
        username: catalog::ADVERTISER.to_owned(),
        nickname: "Demo Advertiser".to_owned(),
        password: catalog::ADVERTISER_PASSWORD.to_owned(),
        confirm_password: catalog::ADVERTISER_PASSWORD.to_owned(),
        email: "demo@adfolio.example".to_owned(),
        phone: "+1 555 010 0199".to_owned(),
        license_key: catalog::ADVERTISER_KEY.to_owned(),
        older_form: false,
        client_address: String::new(),
        user_agent: String::new(),
    };
    let answer = ask!(services.auth, register, operator(), message);
    if matches!(
        reason(&answer),
        Some(Reason::LicenseUsed | Reason::UsernameTaken)
    ) {
        // Another load was faster.
        return find_advertiser(services)
            .await?
            .context("the advertiser is there and cannot be found");
    }
    let session = answer?.session.context("the answer has no session")?;
    // Nobody uses this session, so it ends here.
    let logout = LogoutRequest {
        token: session.token,
    };
    ask!(services.auth, logout, operator(), logout)?;
    let user = session.user.context("the answer has no user")?;
    say(&format!(
        "registered the advertiser {}",
        catalog::ADVERTISER
    ));
    Ok(user.id.parse()?)
}

async fn find_advertiser(services: &Services) -> anyhow::Result<Option<Uuid>> {
    let message = ListUsersRequest {
        query: catalog::ADVERTISER.to_owned(),
        state: 0,
        page: None,
    };
    let users = whole(list!(
        services.auth_admin,
        list_users,
        operator(),
        message,
        MOST_ITEMS
    ))
    .await?;
    let found = users
        .into_iter()
        .find(|user| user.username.eq_ignore_ascii_case(catalog::ADVERTISER));
    Ok(found.map(|user| user.id.parse()).transpose()?)
}

/// The proxy operator's id.
async fn proxy_operator(services: &Services) -> anyhow::Result<String> {
    let message = ListOperatorsRequest { page: None };
    let operators = whole(list!(
        services.plan_admin,
        list_operators,
        operator(),
        message,
        MOST_ITEMS
    ))
    .await?;
    if let Some(found) = operators
        .into_iter()
        .find(|found| found.name == catalog::OPERATOR)
    {
        return Ok(found.id);
    }
    let message = CreateOperatorRequest {
        name: catalog::OPERATOR.to_owned(),
    };
    let answer = ask!(
        services.plan_admin,
        create_operator,
        keyed(operator(), "demo-operator")?,
        message
    );
    let created = answer?.operator.context("the answer has no operator")?;
    say(&format!("created the operator {}", catalog::OPERATOR));
    Ok(created.id)
}

/// The advertiser follows the operator, unless they follow one already.
async fn follow(services: &Services, user: Uuid, operator_id: &str) -> anyhow::Result<()> {
    let message = GetCurrentOperatorRequest {};
    let current = ask!(
        services.plan,
        get_current_operator,
        on_behalf_of(user),
        message
    )?;
    if !current.operator_id.is_empty() {
        return Ok(());
    }
    let message = FollowRequest {
        operator_id: operator_id.to_owned(),
    };
    let caller = keyed(on_behalf_of(user), "demo-follow")?;
    ask!(services.plan, follow, caller, message)?;
    say(&format!("followed the operator {}", catalog::OPERATOR));
    Ok(())
}

/// The demo products, in the order of the catalogue.
async fn products(services: &Services) -> anyhow::Result<Vec<Product>> {
    let message = AdminListProductsRequest { page: None };
    let known = whole(list!(
        services.plan_admin,
        admin_list_products,
        operator(),
        message,
        MOST_ITEMS
    ))
    .await?;
    let mut products = Vec::new();
    for (number, product) in catalog::products().into_iter().enumerate() {
        if let Some(found) = known.iter().find(|known| known.name == product.name) {
            products.push(found.clone());
            continue;
        }
        let message = CreateProductRequest {
            product: Some(product),
        };
        let caller = keyed(operator(), &format!("demo-product-{number}"))?;
        let answer = ask!(services.plan_admin, create_product, caller, message)?;
        let created = answer.product.context("the answer has no product")?;
        say(&format!("created the product {}", created.name));
        products.push(created);
    }
    Ok(products)
}

/// The customer-service entries, ways to deposit and legal texts, in every language, unless staff have created some.
async fn texts(services: &Services) -> anyhow::Result<()> {
    let answer = ask!(
        services.notification_admin,
        get_content,
        operator(),
        GetContentRequest {}
    );
    let present = answer?.content.unwrap_or_default();
    if !(present.customer_service.is_empty() && present.recharge_customer_service.is_empty()) {
        return Ok(());
    }
    let message = SetContentRequest {
        content: Some(content::parse(TEXTS)?),
        parts: PARTS.map(str::to_owned).to_vec(),
        version: 0,
    };
    let caller = keyed(operator(), "demo-texts")?;
    ask!(services.notification_admin, set_content, caller, message)?;
    say("wrote the customer-service entries, ways to deposit and legal texts");
    Ok(())
}

async fn acceptors(services: &Services) -> anyhow::Result<()> {
    let message = ListAcceptorsRequest { page: None };
    let known = whole(list!(
        services.acceptor_admin,
        list_acceptors,
        operator(),
        message,
        MOST_ITEMS
    ))
    .await?;
    for demo in &catalog::ACCEPTORS {
        let found = known
            .iter()
            .find(|known| known.name == demo.name && known.kind() == demo.kind);
        let id = match found {
            Some(found) => found.id.clone(),
            None => create_acceptor(services, demo).await?,
        };
        acceptance_code(services, demo, id).await?;
    }
    Ok(())
}

async fn create_acceptor(services: &Services, demo: &catalog::Acceptor) -> anyhow::Result<String> {
    let message = CreateAcceptorRequest {
        kind: demo.kind.into(),
        name: demo.name.to_owned(),
        rating_tenths: demo.rating_tenths,
    };
    let caller = keyed(operator(), &format!("demo-acceptor-{}", demo.code))?;
    let answer = ask!(services.acceptor_admin, create_acceptor, caller, message);
    let created = answer?.acceptor.context("the answer has no acceptor")?;
    say(&format!("created the acceptor {}", demo.name));
    Ok(created.id)
}

/// Issues the acceptor's code. An existing one is refused as VALIDATION of the code.
async fn acceptance_code(
    services: &Services,
    demo: &catalog::Acceptor,
    acceptor_id: String,
) -> anyhow::Result<()> {
    let ends = Utc::now()
        .checked_add_months(Months::new(catalog::OFFER_MONTHS))
        .context("no such time")?;
    let offer = Offer {
        id: String::new(),
        direction: ExchangeDirection::WalletToCurrency.into(),
        currency: demo.currency.to_owned(),
        rate: demo.rate.to_owned(),
        min_minor: demo.min_minor,
        max_minor: demo.max_minor,
        expires_at: Some(ends.into()),
    };
    let message = CreateAcceptanceCodeRequest {
        acceptor_id,
        user_id: String::new(),
        offer: Some(offer),
        code: demo.code.to_owned(),
    };
    match ask!(
        services.acceptor_admin,
        create_acceptance_code,
        operator(),
        message
    ) {
        Ok(_) => say(&format!("issued the acceptance code {}", demo.code)),
        Err(error) if names_code(&error) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

fn names_code(error: &CallError) -> bool {
    error.refusal().is_some_and(|refusal| {
        refusal.reason == Reason::Validation && refusal.field.as_deref() == Some("code")
    })
}

fn reason<T>(answer: &Result<T, CallError>) -> Option<Reason> {
    answer
        .as_ref()
        .err()
        .and_then(CallError::refusal)
        .map(|refusal| refusal.reason)
}

/// A complete list. A longer one is an error.
async fn whole<T>(
    items: impl Future<Output = Result<Vec<T>, CallError>>,
) -> anyhow::Result<Vec<T>> {
    let items = items.await?;
    if items.len() >= MOST_ITEMS as usize {
        bail!("the list is too long to search");
    }
    Ok(items)
}
