//! What a client needs before login, composed of the answers of four services and the gateway's configuration.
//!
//! Each part is cached for a few seconds. While a service is down, its last known part is used. Changes by staff are
//! visible at once on the same replica and after those seconds on others.

mod kept;
mod shape;

use std::sync::Arc;
use std::time::Duration;

use adfolio_kit::call;
use adfolio_kit::client::Call;
use adfolio_kit::identity::Caller;
use adfolio_proto::acceptor::v1::{GetExchangeLimitRequest, GetExchangeLimitResponse};
use adfolio_proto::notification::v1::{GetPublicContentRequest, GetPublicContentResponse};
use adfolio_proto::plan::v1::{GetPutRangeRequest, GetPutRangeResponse};
use adfolio_proto::wallet::v1::{GetWithdrawalMethodsRequest, GetWithdrawalMethodsResponse};

use self::kept::Kept;
use self::shape::Parts;
pub use self::shape::{
    AmountRange, BasicConfig, Faq, LanguageMapping, Marketing, WithdrawalMethodConfig,
};
use crate::errors::Failure;
use crate::lang::Lang;
use crate::services::Services;

/// A service that does not answer within this time counts as down.
const CALL_LIMIT: Duration = Duration::from_secs(2);

/// The parts of every language, cached for a few seconds. Cheap to clone.
#[derive(Clone, Debug)]
pub struct BasicConfigCache(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    services: Services,
    currency: String,
    content: Kept<Lang, Arc<GetPublicContentResponse>>,
    methods: Kept<(), Arc<GetWithdrawalMethodsResponse>>,
    put_range: Kept<(), GetPutRangeResponse>,
    exchange_limit: Kept<(), GetExchangeLimitResponse>,
}

impl BasicConfigCache {
    /// An empty cache.
    pub fn new(services: Services, currency: String, keep: Duration) -> Self {
        Self(Arc::new(Shared {
            services,
            currency,
            content: Kept::new(keep),
            methods: Kept::new(keep),
            put_range: Kept::new(keep),
            exchange_limit: Kept::new(keep),
        }))
    }

    /// Drops the cached texts after staff changed them.
    pub fn forget_content(&self) {
        self.0.content.forget();
    }

    /// The configuration in one language. UNAVAILABLE while a part has never been fetched.
    pub async fn get(&self, lang: Lang) -> Result<BasicConfig, Failure> {
        let shared = &self.0;
        let (content, methods, put_range, exchange_limit) = tokio::join!(
            shared.content.get(lang, self.ask_content(lang)),
            shared.methods.get((), self.ask_methods()),
            shared.put_range.get((), self.ask_put_range()),
            shared.exchange_limit.get((), self.ask_exchange_limit()),
        );
        let parts = Parts {
            content: content?,
            methods: methods?,
            put_range: put_range?,
            exchange_limit: exchange_limit?,
        };
        BasicConfig::compose(&shared.currency, &parts)
    }

    async fn ask_content(&self, lang: Lang) -> Result<Arc<GetPublicContentResponse>, Failure> {
        let caller = Caller {
            lang: lang.code().to_owned(),
            ..Caller::system()
        };
        let call = Call::once(&caller, CALL_LIMIT);
        let message = GetPublicContentRequest {};
        Ok(Arc::new(
            call!(
                self.0.services.notification,
                get_public_content,
                message,
                call
            )
            .await?,
        ))
    }

    async fn ask_methods(&self) -> Result<Arc<GetWithdrawalMethodsResponse>, Failure> {
        let caller = Caller::system();
        let call = Call::once(&caller, CALL_LIMIT);
        let message = GetWithdrawalMethodsRequest {};
        Ok(Arc::new(
            call!(
                self.0.services.wallet,
                get_withdrawal_methods,
                message,
                call
            )
            .await?,
        ))
    }

    async fn ask_put_range(&self) -> Result<GetPutRangeResponse, Failure> {
        let caller = Caller::system();
        let call = Call::once(&caller, CALL_LIMIT);
        Ok(call!(
            self.0.services.plan,
            get_put_range,
            GetPutRangeRequest {},
            call
        )
        .await?)
    }

    async fn ask_exchange_limit(&self) -> Result<GetExchangeLimitResponse, Failure> {
        let caller = Caller::system();
        let call = Call::once(&caller, CALL_LIMIT);
        let message = GetExchangeLimitRequest {};
        Ok(call!(self.0.services.acceptor, get_exchange_limit, message, call).await?)
    }
}
