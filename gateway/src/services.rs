//! The clients of the services.

use adfolio_kit::client::{Channel, ClientOptions, connect_to};
use adfolio_kit::config::ConfigError;
use adfolio_kit::tls::Tls;
use adfolio_proto::acceptor::v1::acceptor_admin_service_client::AcceptorAdminServiceClient;
use adfolio_proto::acceptor::v1::acceptor_service_client::AcceptorServiceClient;
use adfolio_proto::auth::v1::auth_admin_service_client::AuthAdminServiceClient;
use adfolio_proto::auth::v1::auth_service_client::AuthServiceClient;
use adfolio_proto::auth::v1::user_directory_service_client::UserDirectoryServiceClient;
use adfolio_proto::coupon::v1::coupon_admin_service_client::CouponAdminServiceClient;
use adfolio_proto::coupon::v1::coupon_service_client::CouponServiceClient;
use adfolio_proto::notification::v1::notification_admin_service_client::NotificationAdminServiceClient;
use adfolio_proto::notification::v1::notification_service_client::NotificationServiceClient;
use adfolio_proto::plan::v1::network_service_client::NetworkServiceClient;
use adfolio_proto::plan::v1::placement_admin_service_client::PlacementAdminServiceClient;
use adfolio_proto::plan::v1::plan_admin_service_client::PlanAdminServiceClient;
use adfolio_proto::plan::v1::plan_service_client::PlanServiceClient;
use adfolio_proto::wallet::v1::bank_admin_service_client::BankAdminServiceClient;
use adfolio_proto::wallet::v1::ledger_service_client::LedgerServiceClient;
use adfolio_proto::wallet::v1::wallet_admin_service_client::WalletAdminServiceClient;
use adfolio_proto::wallet::v1::wallet_service_client::WalletServiceClient;

use crate::config::ServiceUrls;

/// The clients of all services. Each is cheap to clone.
#[derive(Clone, Debug)]
pub struct Services {
    /// Users.
    pub auth: AuthServiceClient<Channel>,
    /// Accounts, for staff.
    pub auth_admin: AuthAdminServiceClient<Channel>,
    /// The user directory, for names.
    pub directory: UserDirectoryServiceClient<Channel>,
    /// Wallets.
    pub wallet: WalletServiceClient<Channel>,
    /// The ledger, for the wallet entries of a plan.
    pub ledger: LedgerServiceClient<Channel>,
    /// Wallets, for staff.
    pub wallet_admin: WalletAdminServiceClient<Channel>,
    /// Bank files, for finance.
    pub bank_admin: BankAdminServiceClient<Channel>,
    /// Plans.
    pub plan: PlanServiceClient<Channel>,
    /// Plans, for staff.
    pub plan_admin: PlanAdminServiceClient<Channel>,
    /// Networks and placements, for staff.
    pub placement_admin: PlacementAdminServiceClient<Channel>,
    /// What networks are allotted and report.
    pub network: NetworkServiceClient<Channel>,
    /// Coupons.
    pub coupon: CouponServiceClient<Channel>,
    /// Campaigns, for staff.
    pub coupon_admin: CouponAdminServiceClient<Channel>,
    /// The inbox.
    pub notification: NotificationServiceClient<Channel>,
    /// Texts, for staff.
    pub notification_admin: NotificationAdminServiceClient<Channel>,
    /// Acceptors.
    pub acceptor: AcceptorServiceClient<Channel>,
    /// Acceptors, for staff.
    pub acceptor_admin: AcceptorAdminServiceClient<Channel>,
    channels: [(&'static str, Channel); 6],
}

impl Services {
    /// Opens a channel to each service. Nothing is connected yet.
    pub fn connect(urls: &ServiceUrls, tls: Option<&Tls>) -> Result<Self, ConfigError> {
        let open = |service, url: &str| connect_to(service, url, ClientOptions::default(), tls);
        let auth = open("auth", &urls.auth_url)?;
        let wallet = open("wallet", &urls.wallet_url)?;
        let plan = open("plan", &urls.plan_url)?;
        let coupon = open("coupon", &urls.coupon_url)?;
        let notification = open("notification", &urls.notification_url)?;
        let acceptor = open("acceptor", &urls.acceptor_url)?;
        let channels = [
            ("auth", auth.clone()),
            ("wallet", wallet.clone()),
            ("plan", plan.clone()),
            ("coupon", coupon.clone()),
            ("notification", notification.clone()),
            ("acceptor", acceptor.clone()),
        ];
        Ok(Self {
            channels,
            auth: AuthServiceClient::new(auth.clone()),
            auth_admin: AuthAdminServiceClient::new(auth.clone()),
            directory: UserDirectoryServiceClient::new(auth),
            wallet: WalletServiceClient::new(wallet.clone()),
            ledger: LedgerServiceClient::new(wallet.clone()),
            wallet_admin: WalletAdminServiceClient::new(wallet.clone()),
            bank_admin: BankAdminServiceClient::new(wallet),
            plan: PlanServiceClient::new(plan.clone()),
            plan_admin: PlanAdminServiceClient::new(plan.clone()),
            placement_admin: PlacementAdminServiceClient::new(plan.clone()),
            network: NetworkServiceClient::new(plan),
            coupon: CouponServiceClient::new(coupon.clone()),
            coupon_admin: CouponAdminServiceClient::new(coupon),
            notification: NotificationServiceClient::new(notification.clone()),
            notification_admin: NotificationAdminServiceClient::new(notification),
            acceptor: AcceptorServiceClient::new(acceptor.clone()),
            acceptor_admin: AcceptorAdminServiceClient::new(acceptor),
        })
    }

    /// The channels by the names of their services.
    pub fn channels(&self) -> &[(&'static str, Channel)] {
        &self.channels
    }
}
