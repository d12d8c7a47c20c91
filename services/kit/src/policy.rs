//! The authorization policy: the callers that each method of each service admits.
//!
//! A caller is identified by a DNS name of its certificate, so the policy applies where
//! [`crate::tls`] is on; a method that is not listed is closed to everyone. Calls of users and
//! staff come from the gateway, which alone knows their sessions, and from adfolioctl, which acts as
//! a member of staff. That the gateway may make a call does not make it the person it names: with
//! keys, services believe an identity by auth's signature ([`crate::identity_token`]), and without
//! TLS that is all they ask for. adfolioctl has no session, so its certificate is its proof. Calls
//! between services name nobody in their metadata; those that move money for an order belong to the
//! service that keeps the order.

/// The REST gateway.
pub const GATEWAY: &str = "gateway";
/// The operator's command line.
pub const OPERATOR: &str = "adfolioctl";
/// Plans and their orders.
pub const PLAN: &str = "plan";
/// The ledger.
pub const WALLET: &str = "wallet";
/// Coupons.
pub const COUPON: &str = "coupon";
/// Inbox and announcements.
pub const NOTIFICATION: &str = "notification";
/// Acceptors of foreign exchange.
pub const ACCEPTOR: &str = "acceptor";
/// An adapter that reports what an ad network delivered; not a program of this repository.
pub const NETWORK: &str = "network";

/// A method and its callers.
pub type Method = (&'static str, &'static [&'static str]);

/// The methods of one gRPC service.
#[derive(Clone, Copy, Debug)]
pub struct ServicePolicy {
    /// Its full name, `adfolio.wallet.v1.LedgerService`.
    pub service: &'static str,
    /// Its methods by name.
    pub methods: &'static [Method],
}

/// Open to every certificate: it only tells whether a service is serving.
pub(crate) const HEALTH: &str = "/grpc.health.v1.Health/";

/// Reflection describes all methods, which only operators need.
pub(crate) const REFLECTION: &str = "/grpc.reflection.";

/// Calls on behalf of users or staff, or before anybody is authenticated.
const EDGE: &[&str] = &[GATEWAY];
/// The same, and the operator's.
const EDGE_AND_OPERATOR: &[&str] = &[GATEWAY, OPERATOR];
/// What networks do, through the gateway or directly.
const EDGE_AND_NETWORK: &[&str] = &[GATEWAY, NETWORK];
/// Only the operator's.
const OPERATOR_ALONE: &[&str] = &[OPERATOR];

/// All of it.
pub const POLICIES: &[ServicePolicy] = &[
    ServicePolicy {
        service: "adfolio.auth.v1.AuthService",
        methods: &[
            ("Register", EDGE_AND_OPERATOR),
            ("Login", EDGE),
            ("AssertHostUser", EDGE),
            ("Logout", EDGE_AND_OPERATOR),
            ("OpenStore", EDGE),
            ("GetUser", EDGE),
            ("EditProfile", EDGE),
            ("SendEmailCode", EDGE),
            ("ConfirmEmail", EDGE),
            ("ChangePassword", EDGE),
            ("StepUp", EDGE),
            ("ListSessions", EDGE),
            ("EndSessions", EDGE),
            ("ListSecurityLog", EDGE),
            ("VerifySession", EDGE),
        ],
    },
    ServicePolicy {
        service: "adfolio.auth.v1.UserDirectoryService",
        methods: &[
            (
                "LookUpUsers",
                &[GATEWAY, PLAN, WALLET, COUPON, NOTIFICATION, ACCEPTOR],
            ),
            ("CountActiveUsers", &[NOTIFICATION]),
            ("GrantMembership", &[WALLET]),
            ("GetMailRecipient", &[NOTIFICATION]),
        ],
    },
    ServicePolicy {
        service: "adfolio.auth.v1.StaffDirectoryService",
        methods: &[
            ("CheckSecondPair", &[PLAN, WALLET, COUPON, ACCEPTOR]),
            ("GetAuditSeal", &[WALLET]),
        ],
    },
    ServicePolicy {
        service: "adfolio.auth.v1.AuthAdminService",
        methods: &[
            ("StaffLogin", EDGE),
            ("StaffLogout", EDGE),
            ("VerifyStaffSession", EDGE),
            ("CreateStaff", EDGE_AND_OPERATOR),
            ("ConfirmStaff", EDGE_AND_OPERATOR),
            ("ListStaff", EDGE_AND_OPERATOR),
            ("SetStaffState", EDGE_AND_OPERATOR),
            ("SetStaffRole", EDGE_AND_OPERATOR),
            ("ChangeStaffPassword", EDGE),
            ("ResetStaffPassword", EDGE_AND_OPERATOR),
            ("EnrollSecondFactor", EDGE),
            ("ConfirmSecondFactor", EDGE),
            ("ResetSecondFactor", EDGE_AND_OPERATOR),
            ("StartPasskeyLogin", EDGE),
            ("LoginWithPasskey", EDGE),
            ("StartPasskeyRegistration", EDGE),
            ("RegisterPasskey", EDGE),
            ("ListPasskeys", EDGE),
            ("RemovePasskey", EDGE),
            ("StartPasskeyConfirmation", EDGE),
            ("ConfirmWithPasskey", EDGE),
            ("EndStaffSessions", EDGE_AND_OPERATOR),
            ("UnlockStaffLogin", OPERATOR_ALONE),
            ("UnlockUserLogin", OPERATOR_ALONE),
            ("CreateLicenseKeys", EDGE_AND_OPERATOR),
            ("ListLicenseKeys", EDGE_AND_OPERATOR),
            ("ListUsers", EDGE_AND_OPERATOR),
            ("GetUserDetail", EDGE_AND_OPERATOR),
            ("SetUserState", EDGE_AND_OPERATOR),
            ("AdminListSecurityLog", EDGE),
            ("EndUserSessions", EDGE_AND_OPERATOR),
            ("CreateHostToken", EDGE_AND_OPERATOR),
            ("CreateHost", EDGE_AND_OPERATOR),
            ("AddHostKey", EDGE_AND_OPERATOR),
            ("RevokeHostKey", EDGE_AND_OPERATOR),
            ("ListHosts", EDGE_AND_OPERATOR),
            ("SetUserProfile", EDGE_AND_OPERATOR),
            ("ListAudit", EDGE_AND_OPERATOR),
            ("VerifyAuditLog", OPERATOR_ALONE),
            ("GetWaiting", EDGE_AND_OPERATOR),
            ("ClaimItem", EDGE),
            ("ReleaseClaim", EDGE),
            ("ListClaims", EDGE),
        ],
    },
    ServicePolicy {
        service: "adfolio.plan.v1.PlanService",
        methods: &[
            ("ListProducts", EDGE),
            ("GetProduct", EDGE),
            ("ListPlans", EDGE),
            ("GetPlan", EDGE),
            ("NamePlans", EDGE),
            ("ListReports", EDGE),
            ("GetPlanPace", EDGE),
            ("ListPlanPlacements", EDGE),
            ("PutPlan", EDGE_AND_OPERATOR),
            ("CancelPlan", EDGE),
            ("CountWaiting", EDGE),
            ("GetStatistics", EDGE),
            ("GetPutRange", EDGE),
            ("Follow", EDGE_AND_OPERATOR),
            ("ListFollows", EDGE),
            ("GetCurrentOperator", EDGE_AND_OPERATOR),
        ],
    },
    ServicePolicy {
        service: "adfolio.plan.v1.DeliveryService",
        methods: &[("ReportDelivery", &[NETWORK])],
    },
    ServicePolicy {
        service: "adfolio.plan.v1.NetworkService",
        methods: &[
            ("ListAllotments", EDGE_AND_NETWORK),
            ("StreamAllotments", &[NETWORK]),
            ("ReportNetworkDelivery", EDGE_AND_NETWORK),
        ],
    },
    ServicePolicy {
        service: "adfolio.plan.v1.PlanReconcileService",
        methods: &[
            ("ListHolds", &[WALLET]),
            ("ListDeliveryBooks", &[WALLET]),
            ("GetReportSeal", &[WALLET]),
        ],
    },
    ServicePolicy {
        service: "adfolio.plan.v1.PlacementAdminService",
        methods: &[
            ("CreateNetwork", EDGE_AND_OPERATOR),
            ("EditNetwork", EDGE_AND_OPERATOR),
            ("ListNetworks", EDGE_AND_OPERATOR),
            ("IssueNetworkKey", EDGE_AND_OPERATOR),
            ("CreatePlacement", EDGE_AND_OPERATOR),
            ("EditPlacement", EDGE_AND_OPERATOR),
            ("ListPlacements", EDGE_AND_OPERATOR),
            ("SetPlacementPrice", EDGE_AND_OPERATOR),
            ("ExportAllotments", OPERATOR_ALONE),
            ("GetAllotmentDecision", OPERATOR_ALONE),
        ],
    },
    ServicePolicy {
        service: "adfolio.plan.v1.PlanAdminService",
        methods: &[
            ("CreateProduct", EDGE_AND_OPERATOR),
            ("EditProduct", EDGE_AND_OPERATOR),
            ("AdminListProducts", EDGE_AND_OPERATOR),
            ("CreateOperator", EDGE_AND_OPERATOR),
            ("ListOperators", EDGE_AND_OPERATOR),
            ("PushPlan", EDGE_AND_OPERATOR),
            ("AdminListPlans", EDGE_AND_OPERATOR),
            ("AdminGetPlan", EDGE_AND_OPERATOR),
            ("AdminGetPlanPace", EDGE_AND_OPERATOR),
            ("AdminListPlanPlacements", EDGE_AND_OPERATOR),
            ("FinishPlan", EDGE_AND_OPERATOR),
            ("SettlePlan", EDGE_AND_OPERATOR),
            ("ListDeliveryImports", EDGE_AND_OPERATOR),
            ("DecideDeliveryImport", EDGE_AND_OPERATOR),
            ("ListQuarantinedReports", EDGE_AND_OPERATOR),
            ("DecideQuarantinedReports", EDGE),
            ("ImportDelivery", EDGE_AND_OPERATOR),
            ("GetCurrentOperators", EDGE),
            ("SaveReportSource", EDGE_AND_OPERATOR),
            ("AddReportSourceKey", EDGE_AND_OPERATOR),
            ("RevokeReportSourceKey", EDGE_AND_OPERATOR),
            ("ListReportSources", EDGE_AND_OPERATOR),
            ("VerifyReports", OPERATOR_ALONE),
            ("GetWaiting", EDGE_AND_OPERATOR),
        ],
    },
    ServicePolicy {
        service: "adfolio.wallet.v1.WalletService",
        methods: &[
            ("GetProperty", EDGE_AND_OPERATOR),
            ("ListFlow", EDGE),
            ("GetMonthly", EDGE),
            ("GetStatement", EDGE),
            ("GetCheckpoint", EDGE),
            ("ListCheckpoints", EDGE),
            ("GetCheckpointConsistency", EDGE),
            ("GetHeadProof", EDGE),
            ("GetWithdrawalMethods", EDGE),
            ("Withdraw", EDGE_AND_OPERATOR),
            ("CancelWithdrawal", EDGE),
            ("ReturnStartUpFunds", EDGE),
            ("ListWithdrawals", EDGE),
            ("SetPayPassword", EDGE_AND_OPERATOR),
            ("CheckPayPassword", EDGE),
            ("GetDestinations", EDGE),
            ("BindDestination", EDGE_AND_OPERATOR),
            ("FreezeWallet", EDGE),
            ("UnfreezeWallet", EDGE),
        ],
    },
    ServicePolicy {
        service: "adfolio.wallet.v1.LedgerService",
        methods: &[
            ("Hold", &[PLAN]),
            ("Release", &[PLAN]),
            ("RecordDelivery", &[PLAN]),
            ("Settle", &[PLAN]),
            ("ListOrderFlow", EDGE),
            ("PostExchange", &[ACCEPTOR]),
            ("VerifyPayPassword", &[ACCEPTOR]),
            ("CheckFreeze", &[ACCEPTOR]),
        ],
    },
    ServicePolicy {
        service: "adfolio.wallet.v1.WalletAdminService",
        methods: &[
            ("Deposit", EDGE_AND_OPERATOR),
            ("Chargeback", EDGE_AND_OPERATOR),
            ("DeductRecharge", EDGE_AND_OPERATOR),
            ("OpenMembership", EDGE_AND_OPERATOR),
            ("ChangeStartUpFunds", EDGE_AND_OPERATOR),
            ("ChangeGuarantee", EDGE_AND_OPERATOR),
            ("AdminListWithdrawals", EDGE_AND_OPERATOR),
            ("DecideWithdrawal", EDGE_AND_OPERATOR),
            ("ListApprovals", EDGE_AND_OPERATOR),
            ("DecideApproval", EDGE_AND_OPERATOR),
            ("ResetPayPassword", EDGE_AND_OPERATOR),
            ("AdminUnfreezeWallet", EDGE),
            ("ListFreezes", EDGE_AND_OPERATOR),
            ("GetUserSettings", EDGE),
            ("GetUserProperty", EDGE_AND_OPERATOR),
            ("ListUserFlow", EDGE),
            ("GetUserStatement", EDGE),
            ("GetUserDestinations", EDGE),
            ("Reconcile", EDGE_AND_OPERATOR),
            ("VerifyChains", OPERATOR_ALONE),
            ("GetWaiting", EDGE_AND_OPERATOR),
        ],
    },
    ServicePolicy {
        service: "adfolio.wallet.v1.BankAdminService",
        methods: &[
            ("UploadBankStatement", EDGE),
            ("ListBankStatements", EDGE),
            ("ListBankLines", EDGE),
            ("CreditBankLine", EDGE),
            ("SetBankLineAside", EDGE),
            ("ProposePaymentBatch", EDGE),
            ("DecidePaymentBatch", EDGE),
            ("ListPaymentBatches", EDGE),
            ("GetPaymentFile", EDGE),
            ("PayPaymentBatch", EDGE),
            ("TakeOutOfPaymentBatch", EDGE),
            ("ListPlatformAccounts", EDGE),
            ("ListPlatformEntries", EDGE),
        ],
    },
    ServicePolicy {
        service: "adfolio.coupon.v1.CouponService",
        methods: &[
            ("ListCoupons", EDGE_AND_OPERATOR),
            ("ReceiveCoupon", EDGE_AND_OPERATOR),
            ("ListUsable", EDGE),
        ],
    },
    ServicePolicy {
        service: "adfolio.coupon.v1.CouponReservationService",
        methods: &[
            ("Reserve", &[PLAN]),
            ("Redeem", &[PLAN]),
            ("Release", &[PLAN]),
            ("GetRedeemedTotal", &[WALLET]),
        ],
    },
    ServicePolicy {
        service: "adfolio.coupon.v1.CouponAdminService",
        methods: &[
            ("CreateCampaign", EDGE_AND_OPERATOR),
            ("DecideCampaign", EDGE_AND_OPERATOR),
            ("ListCampaigns", EDGE_AND_OPERATOR),
            ("GrantCoupon", EDGE_AND_OPERATOR),
            ("GetWaiting", EDGE_AND_OPERATOR),
            ("AdminListCoupons", EDGE),
        ],
    },
    ServicePolicy {
        service: "adfolio.notification.v1.NotificationService",
        methods: &[
            ("ListNotifications", EDGE_AND_OPERATOR),
            ("MarkRead", EDGE),
            ("CountUnread", EDGE),
            ("ListServiceEntries", EDGE),
            ("GetPublicContent", EDGE),
            ("GetLegalText", EDGE),
            ("SubmitFeedback", EDGE),
            ("DisownMail", EDGE),
            ("GetPushKey", EDGE),
            ("SubscribePush", EDGE),
            ("UnsubscribePush", EDGE),
        ],
    },
    ServicePolicy {
        service: "adfolio.notification.v1.NotificationAdminService",
        methods: &[
            ("GetContent", EDGE_AND_OPERATOR),
            ("SetContent", EDGE_AND_OPERATOR),
            ("ListContentVersions", EDGE_AND_OPERATOR),
            ("GetContentVersion", EDGE),
            ("RestoreContent", EDGE_AND_OPERATOR),
            ("CreateNotification", EDGE_AND_OPERATOR),
            ("ListAnnouncements", EDGE_AND_OPERATOR),
            ("GetAnnouncement", EDGE),
            ("GetAudience", EDGE),
            ("EditAnnouncement", EDGE),
            ("WithdrawAnnouncement", EDGE_AND_OPERATOR),
            ("AdminListNotifications", EDGE),
            ("ListFeedback", EDGE_AND_OPERATOR),
            ("CloseFeedback", EDGE_AND_OPERATOR),
            ("ListMails", OPERATOR_ALONE),
            ("RetryMail", OPERATOR_ALONE),
            ("GetWaiting", EDGE_AND_OPERATOR),
        ],
    },
    ServicePolicy {
        service: "adfolio.acceptor.v1.AcceptorService",
        methods: &[
            ("GetAcceptorDetail", EDGE),
            ("GetExchangeLimit", EDGE),
            ("CreateExchange", EDGE),
            ("CancelExchange", EDGE),
            ("ListExchanges", EDGE),
        ],
    },
    ServicePolicy {
        service: "adfolio.acceptor.v1.AcceptorAdminService",
        methods: &[
            ("CreateAcceptor", EDGE_AND_OPERATOR),
            ("ListAcceptors", EDGE_AND_OPERATOR),
            ("CreateAcceptanceCode", EDGE_AND_OPERATOR),
            ("AdminListExchanges", EDGE_AND_OPERATOR),
            ("DecideExchange", EDGE_AND_OPERATOR),
            ("GetWaiting", EDGE_AND_OPERATOR),
        ],
    },
];
