//! What staff do with accounts.

use adfolio_kit::idempotency;
use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use adfolio_proto::auth::v1::auth_admin_service_server::AuthAdminService;
use adfolio_proto::auth::v1::{
    CreateHostTokenRequest, CreateHostTokenResponse, CreateLicenseKeysRequest,
    CreateLicenseKeysResponse, CreateStaffRequest, CreateStaffResponse, GetUserDetailRequest,
    GetUserDetailResponse, ListAuditRequest, ListAuditResponse, ListLicenseKeysRequest,
    ListLicenseKeysResponse, ListStaffRequest, ListStaffResponse, ListUsersRequest,
    ListUsersResponse, SetUserProfileRequest, SetUserProfileResponse, SetUserStateRequest,
    SetUserStateResponse, StaffLoginRequest, StaffLoginResponse, StaffLogoutRequest,
    StaffLogoutResponse, VerifyStaffSessionRequest, VerifyStaffSessionResponse,
};
use tonic::{Request, Response, Status};

use super::map;
use crate::attempt;
use crate::audit;
use crate::context::Context;
use crate::license::{self, Issue, Issuer};
use crate::session::{self, Kind, TokenDigest};
use crate::staff::{self, Creator, NewStaff};
use crate::user::{self, StandingChange};

const ANY_ROLE: [StaffRole; 3] = [StaffRole::Support, StaffRole::Finance, StaffRole::Operator];

/// Serves staff.
#[derive(Debug)]
pub struct AdminGrpc {
    context: Context,
}

impl AdminGrpc {
    /// On the given context.
    pub fn new(context: Context) -> Self {
        Self { context }
    }
}

#[tonic::async_trait]
impl AuthAdminService for AdminGrpc {
    async fn staff_login(
        &self,
        request: Request<StaffLoginRequest>,
    ) -> Result<Response<StaffLoginResponse>, Status> {
        let message = request.into_inner();
        let password = message.password.into();
        let login = staff::login(
            &self.context,
            &message.username,
            password,
            &message.client_address,
        )
        .await;
        attempt::count("staff", &login);
        let (member, session) = login?;
        let token = session.token.expose().to_owned();
        Ok(Response::new(StaffLoginResponse {
            token,
            staff: Some(map::staff(member)),
        }))
    }

    async fn staff_logout(
        &self,
        request: Request<StaffLogoutRequest>,
    ) -> Result<Response<StaffLogoutResponse>, Status> {
        let token = TokenDigest::of(&request.into_inner().token);
        session::end(&self.context, Kind::Staff, token).await?;
        Ok(Response::new(StaffLogoutResponse {}))
    }

    async fn verify_staff_session(
        &self,
        request: Request<VerifyStaffSessionRequest>,
    ) -> Result<Response<VerifyStaffSessionResponse>, Status> {
        let token = TokenDigest::of(&request.into_inner().token);
        let (session, member) = staff::verify_session(&self.context, token).await?;
        let session_id = session.id.to_string();
        Ok(Response::new(VerifyStaffSessionResponse {
            staff: Some(map::staff(member)),
            session_id,
        }))
    }

    async fn create_staff(
        &self,
        request: Request<CreateStaffRequest>,
    ) -> Result<Response<CreateStaffResponse>, Status> {
        let caller = Caller::from_request(&request);
        let creator = Creator::of(&caller)?;
        let message = request.into_inner();
        let role = map::parse_role(message.role)?;
        let new = NewStaff::parse(
            &message.username,
            message.password.into(),
            role,
            caller.idempotency_key,
        )?;
        let member = staff::create(&self.context, creator, new).await?;
        Ok(Response::new(CreateStaffResponse {
            staff: Some(map::staff(member)),
        }))
    }

    async fn list_staff(
        &self,
        request: Request<ListStaffRequest>,
    ) -> Result<Response<ListStaffResponse>, Status> {
        Caller::from_request(&request).require_staff(&[])?;
        let (page, cursor) = wire::page(request.into_inner().page)?;
        let (members, next) = staff::list(&self.context, cursor.as_deref(), page).await?;
        let items = members.into_iter().map(map::staff).collect();
        Ok(Response::new(ListStaffResponse {
            items,
            next_cursor: next.unwrap_or_default(),
        }))
    }

    async fn create_license_keys(
        &self,
        request: Request<CreateLicenseKeysRequest>,
    ) -> Result<Response<CreateLicenseKeysResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Support])?;
        let message = request.into_inner();
        let key = caller
            .idempotency_key
            .clone()
            .map(|key| (key, idempotency::digest(&message)));
        let issue = Issue::parse(
            message.count,
            &message.codes,
            &message.note,
            message.activate,
        )?;
        let keys = license::issue(
            &self.context,
            issue,
            Issuer {
                staff: staff.id,
                key,
                caller,
            },
        )
        .await?;
        Ok(Response::new(CreateLicenseKeysResponse {
            items: keys.into_iter().map(map::license_key).collect(),
        }))
    }

    async fn list_license_keys(
        &self,
        request: Request<ListLicenseKeysRequest>,
    ) -> Result<Response<ListLicenseKeysResponse>, Status> {
        Caller::from_request(&request).require_staff(&[StaffRole::Support])?;
        let (page, cursor) = wire::page(request.into_inner().page)?;
        let (keys, next) = license::list(&self.context, cursor.as_deref(), page).await?;
        let items = keys.into_iter().map(map::license_key).collect();
        Ok(Response::new(ListLicenseKeysResponse {
            items,
            next_cursor: next.unwrap_or_default(),
        }))
    }

    async fn list_users(
        &self,
        request: Request<ListUsersRequest>,
    ) -> Result<Response<ListUsersResponse>, Status> {
        Caller::from_request(&request).require_staff(&ANY_ROLE)?;
        let message = request.into_inner();
        let (page, cursor) = wire::page(message.page)?;
        let state = map::parse_state(message.state)?;
        let (users, next) = user::list(
            &self.context,
            &message.query,
            state,
            cursor.as_deref(),
            page,
        )
        .await?;
        let items = users.into_iter().map(map::user).collect();
        Ok(Response::new(ListUsersResponse {
            items,
            next_cursor: next.unwrap_or_default(),
        }))
    }

    async fn get_user_detail(
        &self,
        request: Request<GetUserDetailRequest>,
    ) -> Result<Response<GetUserDetailResponse>, Status> {
        Caller::from_request(&request).require_staff(&ANY_ROLE)?;
        let id = wire::id(&request.into_inner().user_id, "id")?;
        let (user, sessions) = user::detail(&self.context, id).await?;
        let sessions = sessions.into_iter().map(map::session_summary).collect();
        Ok(Response::new(GetUserDetailResponse {
            user: Some(map::user(user)),
            sessions,
        }))
    }

    async fn set_user_state(
        &self,
        request: Request<SetUserStateRequest>,
    ) -> Result<Response<SetUserStateResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Support])?;
        let message = request.into_inner();
        let id = wire::id(&message.user_id, "id")?;
        let state = map::parse_state(message.state)?.ok_or_else(|| Refusal::invalid("state"))?;
        let user =
            user::set_state(&self.context, id, state, &message.reason, (caller, staff)).await?;
        Ok(Response::new(SetUserStateResponse {
            user: Some(map::user(user)),
        }))
    }

    async fn create_host_token(
        &self,
        request: Request<CreateHostTokenRequest>,
    ) -> Result<Response<CreateHostTokenResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[StaffRole::Support])?;
        let message = request.into_inner();
        let session = user::create_host_token(
            &self.context,
            message.external_user_id.into(),
            &message.lang,
            caller,
        )
        .await?;
        Ok(Response::new(CreateHostTokenResponse {
            token: session.token.expose().to_owned(),
        }))
    }

    async fn set_user_profile(
        &self,
        request: Request<SetUserProfileRequest>,
    ) -> Result<Response<SetUserProfileResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[StaffRole::Support])?;
        let message = request.into_inner();
        let id = wire::id(&message.user_id, "id")?;
        let change = StandingChange {
            credit_score: message.credit_score,
            shop_level: message.shop_level,
            deposit_minor: message.deposit_minor,
            vip: message.vip,
        };
        let user = user::set_standing(&self.context, id, change, caller).await?;
        Ok(Response::new(SetUserProfileResponse {
            user: Some(map::user(user)),
        }))
    }

    async fn list_audit(
        &self,
        request: Request<ListAuditRequest>,
    ) -> Result<Response<ListAuditResponse>, Status> {
        Caller::from_request(&request).require_staff(&[])?;
        let message = request.into_inner();
        let (page, cursor) = wire::page(message.page)?;
        let filter = audit::Filter::parse(&message.staff_id, &message.user_id, &message.action)?;
        let Some(filter) = filter else {
            return Ok(Response::new(ListAuditResponse::default()));
        };
        let (entries, next) = audit::list(&self.context, &filter, cursor.as_deref(), page).await?;
        Ok(Response::new(ListAuditResponse {
            items: entries.into_iter().map(map::audit_entry).collect(),
            next_cursor: next.unwrap_or_default(),
        }))
    }
}
