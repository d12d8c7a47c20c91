//! Inputs of the gateway's calls. The first line names one of [`SHAPES`], or all of them with
//! `all`; the rest is the JSON body or the query string.

use adfolio_gateway::dto;
use adfolio_gateway::envelope;
use adfolio_gateway::errors::Failure;
use adfolio_gateway::input::{parse_json, parse_query};
use adfolio_gateway::lang::Lang;
use adfolio_kit::refusal::Reason;
use futures::FutureExt as _;
use http_body_util::BodyExt as _;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads an input; on refusal returns why.
type Read = fn(&[u8]) -> Option<Failure>;

/// Every input that a client can send.
pub const SHAPES: [(&str, Read); 126] = [
    (
        "AcceptorDetailRequest",
        json::<dto::acceptor::AcceptorDetailRequest>,
    ),
    (
        "CreateAcceptorRequest",
        json::<dto::acceptor::CreateAcceptorRequest>,
    ),
    (
        "CreateAcceptanceCodeRequest",
        json::<dto::acceptor::CreateAcceptanceCodeRequest>,
    ),
    ("RegisterRequest", json::<dto::account::RegisterRequest>),
    (
        "OlderRegisterRequest",
        json::<dto::account::OlderRegisterRequest>,
    ),
    ("LoginRequest", json::<dto::account::LoginRequest>),
    ("OpenStoreRequest", json::<dto::account::OpenStoreRequest>),
    (
        "EditProfileRequest",
        json::<dto::account::EditProfileRequest>,
    ),
    (
        "ConfirmEmailRequest",
        json::<dto::account::ConfirmEmailRequest>,
    ),
    ("ClaimRequest", json::<dto::claim::ClaimRequest>),
    ("ClaimListQuery", query::<dto::claim::ClaimListQuery>),
    (
        "CreateCampaignRequest",
        json::<dto::campaign::CreateCampaignRequest>,
    ),
    (
        "DecideCampaignRequest",
        json::<dto::campaign::DecideCampaignRequest>,
    ),
    (
        "DecideApprovalRequest",
        json::<dto::approval::DecideApprovalRequest>,
    ),
    (
        "BankStatementListQuery",
        query::<dto::bank::BankStatementListQuery>,
    ),
    ("BankLineListQuery", query::<dto::bank::BankLineListQuery>),
    (
        "CreditBankLineRequest",
        json::<dto::bank::CreditBankLineRequest>,
    ),
    (
        "SetBankLineAsideRequest",
        json::<dto::bank::SetBankLineAsideRequest>,
    ),
    (
        "PaymentBatchListQuery",
        query::<dto::payment_batch::PaymentBatchListQuery>,
    ),
    (
        "ProposePaymentBatchRequest",
        json::<dto::payment_batch::ProposePaymentBatchRequest>,
    ),
    (
        "DecidePaymentBatchRequest",
        json::<dto::payment_batch::DecidePaymentBatchRequest>,
    ),
    (
        "PayPaymentBatchRequest",
        json::<dto::payment_batch::PayPaymentBatchRequest>,
    ),
    ("TakeOutRequest", json::<dto::payment_batch::TakeOutRequest>),
    (
        "PaymentFileQuery",
        query::<dto::payment_batch::PaymentFileQuery>,
    ),
    (
        "PlatformEntryListQuery",
        query::<dto::platform::PlatformEntryListQuery>,
    ),
    ("UserFlowListQuery", query::<dto::ledger::UserFlowListQuery>),
    (
        "UserStatementQuery",
        query::<dto::ledger::UserStatementQuery>,
    ),
    ("UserQuery", query::<dto::ledger::UserQuery>),
    ("FreezeRequest", json::<dto::freeze::FreezeRequest>),
    (
        "FreezeByMailRequest",
        json::<dto::freeze::FreezeByMailRequest>,
    ),
    ("LiftFreezeRequest", json::<dto::freeze::LiftFreezeRequest>),
    (
        "EditAnnouncementRequest",
        json::<dto::announcement::EditAnnouncementRequest>,
    ),
    (
        "WithdrawAnnouncementRequest",
        json::<dto::announcement::WithdrawAnnouncementRequest>,
    ),
    (
        "RestoreContentRequest",
        json::<dto::content_version::RestoreContentRequest>,
    ),
    (
        "EndUserSessionsRequest",
        json::<dto::user_page::EndUserSessionsRequest>,
    ),
    (
        "GrantCouponRequest",
        json::<dto::campaign::GrantCouponRequest>,
    ),
    (
        "DecideImportRequest",
        json::<dto::import::DecideImportRequest>,
    ),
    (
        "DecideQuarantineRequest",
        json::<dto::quarantine::DecideQuarantineRequest>,
    ),
    ("ContentRequest", json::<dto::content::ContentRequest>),
    (
        "ReceiveCouponRequest",
        json::<dto::coupon::ReceiveCouponRequest>,
    ),
    (
        "CreateExchangeRequest",
        json::<dto::exchange::CreateExchangeRequest>,
    ),
    (
        "DecideExchangeRequest",
        json::<dto::exchange::DecideExchangeRequest>,
    ),
    ("FeedbackRequest", json::<dto::feedback::FeedbackRequest>),
    (
        "CloseFeedbackRequest",
        json::<dto::feedback::CloseFeedbackRequest>,
    ),
    ("FollowRequest", json::<dto::follow::FollowRequest>),
    (
        "NotificationListRequest",
        json::<dto::notification::NotificationListRequest>,
    ),
    (
        "MarkReadRequest",
        json::<dto::notification::MarkReadRequest>,
    ),
    (
        "CreateNotificationRequest",
        json::<dto::notification::CreateNotificationRequest>,
    ),
    (
        "ChangePasswordRequest",
        json::<dto::password::ChangePasswordRequest>,
    ),
    (
        "SetPayPasswordRequest",
        json::<dto::password::SetPayPasswordRequest>,
    ),
    (
        "CheckPayPasswordRequest",
        json::<dto::password::CheckPayPasswordRequest>,
    ),
    ("PutRequest", json::<dto::plan::PutRequest>),
    ("ByPlanId", json::<dto::plan::ByPlanId>),
    (
        "ReturnStartUpFundsRequest",
        json::<dto::wallet::ReturnStartUpFundsRequest>,
    ),
    ("AppDetailRequest", json::<dto::product::AppDetailRequest>),
    ("PushSubscription", json::<dto::push::PushSubscription>),
    ("PushEndpoint", json::<dto::push::PushEndpoint>),
    (
        "CreateProductRequest",
        json::<dto::product::CreateProductRequest>,
    ),
    (
        "EditProductRequest",
        json::<dto::product::EditProductRequest>,
    ),
    ("HostEntryRequest", json::<dto::account::HostEntryRequest>),
    ("StepUpRequest", json::<dto::password::StepUpRequest>),
    ("CreateHostRequest", json::<dto::staff::CreateHostRequest>),
    ("AddHostKeyRequest", json::<dto::staff::AddHostKeyRequest>),
    (
        "RevokeHostKeyRequest",
        json::<dto::staff::RevokeHostKeyRequest>,
    ),
    (
        "CreateNetworkRequest",
        json::<dto::supply::CreateNetworkRequest>,
    ),
    (
        "EditNetworkRequest",
        json::<dto::supply::EditNetworkRequest>,
    ),
    (
        "IssueNetworkKeyRequest",
        json::<dto::supply::IssueNetworkKeyRequest>,
    ),
    (
        "CreatePlacementRequest",
        json::<dto::supply::CreatePlacementRequest>,
    ),
    (
        "EditPlacementRequest",
        json::<dto::supply::EditPlacementRequest>,
    ),
    (
        "PlacementPriceRequest",
        json::<dto::supply::PlacementPriceRequest>,
    ),
    (
        "SaveReportSourceRequest",
        json::<dto::source::SaveReportSourceRequest>,
    ),
    (
        "AddReportSourceKeyRequest",
        json::<dto::source::AddReportSourceKeyRequest>,
    ),
    (
        "RevokeReportSourceKeyRequest",
        json::<dto::source::RevokeReportSourceKeyRequest>,
    ),
    (
        "CreateStaffRequest",
        json::<dto::staff_account::CreateStaffRequest>,
    ),
    (
        "StaffLoginRequest",
        json::<dto::staff_account::StaffLoginRequest>,
    ),
    (
        "PasskeyLoginRequest",
        json::<dto::passkey::PasskeyLoginRequest>,
    ),
    (
        "RegisterPasskeyRequest",
        json::<dto::passkey::RegisterPasskeyRequest>,
    ),
    (
        "ConfirmWithPasskeyRequest",
        json::<dto::passkey::ConfirmWithPasskeyRequest>,
    ),
    (
        "RemovePasskeyRequest",
        json::<dto::passkey::RemovePasskeyRequest>,
    ),
    (
        "ConfirmSecondFactorRequest",
        json::<dto::second_factor::ConfirmSecondFactorRequest>,
    ),
    (
        "ResetSecondFactorRequest",
        json::<dto::second_factor::ResetSecondFactorRequest>,
    ),
    (
        "ConfirmStaffRequest",
        json::<dto::staff_account::ConfirmStaffRequest>,
    ),
    (
        "StaffStateRequest",
        json::<dto::staff_account::StaffStateRequest>,
    ),
    (
        "StaffRoleRequest",
        json::<dto::staff_account::StaffRoleRequest>,
    ),
    (
        "StaffPasswordRequest",
        json::<dto::staff_account::StaffPasswordRequest>,
    ),
    (
        "EndStaffSessionsRequest",
        json::<dto::staff_account::EndStaffSessionsRequest>,
    ),
    (
        "CreateLicenseRequest",
        json::<dto::staff::CreateLicenseRequest>,
    ),
    ("UserStateRequest", json::<dto::staff::UserStateRequest>),
    ("HostTokenRequest", json::<dto::staff::HostTokenRequest>),
    ("UserProfileRequest", json::<dto::staff::UserProfileRequest>),
    (
        "ResetPayPasswordRequest",
        json::<dto::staff::ResetPayPasswordRequest>,
    ),
    ("MembershipRequest", json::<dto::staff::MembershipRequest>),
    (
        "StartUpFundsRequest",
        json::<dto::staff::StartUpFundsRequest>,
    ),
    ("GuaranteeRequest", json::<dto::staff::GuaranteeRequest>),
    (
        "WalletChangeRequest",
        json::<dto::staff::WalletChangeRequest>,
    ),
    (
        "CreateOperatorRequest",
        json::<dto::staff_plan::CreateOperatorRequest>,
    ),
    ("PushPlanRequest", json::<dto::staff_plan::PushPlanRequest>),
    (
        "FinishPlanRequest",
        json::<dto::staff_plan::FinishPlanRequest>,
    ),
    ("BindRequest", json::<dto::withdrawal::BindRequest>),
    ("WithdrawRequest", json::<dto::withdrawal::WithdrawRequest>),
    (
        "DecideWithdrawalRequest",
        json::<dto::withdrawal::DecideWithdrawalRequest>,
    ),
    (
        "AllotmentListQuery",
        query::<dto::network::AllotmentListQuery>,
    ),
    (
        "AnnouncementQuery",
        query::<dto::announcement::AnnouncementQuery>,
    ),
    (
        "AnnouncementListQuery",
        query::<dto::announcement::AnnouncementListQuery>,
    ),
    (
        "ContentVersionQuery",
        query::<dto::content_version::ContentVersionQuery>,
    ),
    ("UserCouponQuery", query::<dto::user_page::UserCouponQuery>),
    ("UserNoticeQuery", query::<dto::user_page::UserNoticeQuery>),
    (
        "UserSecurityLogQuery",
        query::<dto::user_page::UserSecurityLogQuery>,
    ),
    ("AuditListQuery", query::<dto::audit::AuditListQuery>),
    (
        "ConsistencyQuery",
        query::<dto::checkpoint::ConsistencyQuery>,
    ),
    ("HeadProofQuery", query::<dto::checkpoint::HeadProofQuery>),
    (
        "PlacementListQuery",
        query::<dto::supply::PlacementListQuery>,
    ),
    (
        "QuarantineListQuery",
        query::<dto::quarantine::QuarantineListQuery>,
    ),
    ("CouponListQuery", query::<dto::coupon::CouponListQuery>),
    (
        "StaffExchangeListQuery",
        query::<dto::exchange::StaffExchangeListQuery>,
    ),
    (
        "FeedbackListQuery",
        query::<dto::feedback::FeedbackListQuery>,
    ),
    ("PageQuery", query::<dto::PageQuery>),
    ("ReportListQuery", query::<dto::report::ReportListQuery>),
    ("PlanListQuery", query::<dto::plan::PlanListQuery>),
    ("UserListQuery", query::<dto::staff::UserListQuery>),
    (
        "StaffPlanListQuery",
        query::<dto::staff_plan::StaffPlanListQuery>,
    ),
    ("StatisticsQuery", query::<dto::statistics::StatisticsQuery>),
    ("FlowListQuery", query::<dto::wallet::FlowListQuery>),
    ("StatementQuery", query::<dto::wallet::StatementQuery>),
    ("MonthlyQuery", query::<dto::wallet::MonthlyQuery>),
    (
        "StaffWithdrawalListQuery",
        query::<dto::withdrawal::StaffWithdrawalListQuery>,
    ),
];

/// The name for all of them.
const EVERY_SHAPE: &str = "all";

/// Reads the input; a refusal must be an envelope that blames the caller.
pub fn check(data: &[u8]) {
    let (name, input) = crate::first_line(data);
    let named = SHAPES.iter().position(|(shape, _)| *shape == name);
    // A name spoiled by mutation selects some shape.
    let any = || name.bytes().map(usize::from).sum::<usize>() % SHAPES.len();
    let shapes = match named {
        None if name == EVERY_SHAPE => &SHAPES[..],
        place => std::slice::from_ref(&SHAPES[place.unwrap_or_else(any)]),
    };
    for (shape, read) in shapes {
        if let Some(failure) = read(input) {
            check_refusal(shape, &failure);
        }
    }
}

fn check_refusal(shape: &str, failure: &Failure) {
    assert_eq!(failure.refusal.reason, Reason::Validation, "{shape}");
    let response = envelope::failure(failure, Lang::default());
    assert_eq!(response.status(), 200, "{shape}");
    let body = response.into_body().collect().now_or_never();
    let body = body
        .expect("a body in memory")
        .expect("a body in memory")
        .to_bytes();
    let envelope: Value = serde_json::from_slice(&body).expect("an envelope");
    assert_eq!(envelope["code"], 400, "{shape}");
    assert!(
        envelope["msg"]
            .as_str()
            .is_some_and(|text| !text.is_empty()),
        "{shape}"
    );
    assert_eq!(envelope["data"]["reason"], "VALIDATION", "{shape}");
}

fn json<T: DeserializeOwned>(input: &[u8]) -> Option<Failure> {
    parse_json::<T>(input).err()
}

fn query<T: DeserializeOwned>(input: &[u8]) -> Option<Failure> {
    parse_query::<T>(input).err()
}
