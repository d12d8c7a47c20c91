//! What staff do with accounts.

use adfolio_kit::idempotency;
use adfolio_kit::identity::{Caller, Staff, StaffRole};
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::server::caller_name;
use adfolio_kit::signing_key::Kid;
use adfolio_kit::wire::{self, List};
use adfolio_proto::auth::v1 as proto;
use adfolio_proto::auth::v1::auth_admin_service_server::AuthAdminService;
use secrecy::ExposeSecret as _;
use tonic::{Request, Response, Status};

use super::{StaffApi, map};
use crate::audit::seal;
use crate::claim::{self, Item};
use crate::device::DeviceToken;
use crate::host;
use crate::ids::StaffId;
use crate::session::TokenDigest;
use crate::staff::{
    self, Act, Change, CodeForm, Creator, Founder, Login, NewStaff, PasswordForm, STAFF_ID,
    StaffState, factor,
    passkey::{self, Ended, PASSKEY_ID},
};
use crate::user::{self, Query, UserState, View};
use crate::{audit, license};

/// The lists of staff have no owner.
const NO_OWNER: &str = "";

/// What a browser sends at the end of a ceremony.
fn ended(ceremony: String, credential: String) -> Ended {
    Ended {
        ceremony: ceremony.into(),
        credential: credential.into(),
    }
}

#[tonic::async_trait]
impl AuthAdminService for StaffApi {
    async fn staff_login(
        &self,
        request: Request<proto::StaffLoginRequest>,
    ) -> Result<Response<proto::StaffLoginResponse>, Status> {
        let caller = Caller::from_request(&request);
        let request = request.into_inner();
        let login = Login {
            username: request.username,
            password: request.password.into(),
            code: request.code.into(),
            client_address: request.client_address,
            device: DeviceToken::parse(&request.device_token),
        };
        let logged_in = staff::login(&self.0, caller, login).await?;
        Ok(Response::new(logged_in.into()))
    }

    async fn staff_logout(
        &self,
        request: Request<proto::StaffLogoutRequest>,
    ) -> Result<Response<proto::StaffLogoutResponse>, Status> {
        let caller = Caller::from_request(&request);
        let token = TokenDigest::of(&request.into_inner().token);
        staff::logout(&self.0, caller, token).await?;
        Ok(Response::new(proto::StaffLogoutResponse {}))
    }

    async fn verify_staff_session(
        &self,
        request: Request<proto::VerifyStaffSessionRequest>,
    ) -> Result<Response<proto::VerifyStaffSessionResponse>, Status> {
        let asked_by = caller_name(&request).map(str::to_owned);
        let token = TokenDigest::of(&request.into_inner().token);
        let (session, member, standing) = staff::verify_session(&self.0, token).await?;
        let staff = Staff {
            id: member.id.0,
            role: member.role,
        };
        let identity_token = match &self.0.signer {
            Some(signer) => signer.staff(staff, asked_by.as_deref())?,
            None => String::new(),
        };
        Ok(Response::new(proto::VerifyStaffSessionResponse {
            staff: Some(member.into()),
            session_id: session.id.to_string(),
            second_factor_missing: standing.is_missing,
            fresh_until: standing.fresh_until.map(Into::into),
            identity_token,
            opened_at: Some(session.created_at.into()),
            expires_at: Some(session.expires_at.into()),
        }))
    }

    async fn create_staff(
        &self,
        request: Request<proto::CreateStaffRequest>,
    ) -> Result<Response<proto::CreateStaffResponse>, Status> {
        let caller = Caller::from_request(&request);
        let creator = Creator::of(&caller)?;
        let request = request.into_inner();
        let role = StaffRole::required(request.role, "role")?;
        let second = request.second.map(Founder::try_from).transpose()?;
        let new = NewStaff::parse(&request.username, &request.password.into(), role, second)?;
        let (member, second) = staff::create(&self.0, caller, creator, new).await?;
        Ok(Response::new(proto::CreateStaffResponse {
            staff: Some(member.into()),
            second: second.map(Into::into),
        }))
    }

    async fn confirm_staff(
        &self,
        request: Request<proto::ConfirmStaffRequest>,
    ) -> Result<Response<proto::ConfirmStaffResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[])?;
        let request = request.into_inner();
        let on = wire::id(&request.staff_id, STAFF_ID)?;
        let act = Act::parse(caller, on, &request.reason)?;
        let member = staff::confirm(&self.0, act).await?;
        Ok(Response::new(proto::ConfirmStaffResponse {
            staff: Some(member.into()),
        }))
    }

    async fn list_staff(
        &self,
        request: Request<proto::ListStaffRequest>,
    ) -> Result<Response<proto::ListStaffResponse>, Status> {
        Caller::from_request(&request).require_staff(&[])?;
        let list = List::new(request.into_inner().page, "auth.staff", &NO_OWNER)?;
        let rows = staff::list(&self.0, list.before()?, list.fetch()).await?;
        let (members, next_cursor) = list.cut(rows, |last| last.member.id);
        Ok(Response::new(proto::ListStaffResponse {
            items: members.into_iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn set_staff_state(
        &self,
        request: Request<proto::SetStaffStateRequest>,
    ) -> Result<Response<proto::SetStaffStateResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[])?;
        let request = request.into_inner();
        let on = wire::id(&request.staff_id, STAFF_ID)?;
        let state = StaffState::required(request.state, "state")?;
        let act = Act::parse(caller, on, &request.reason)?;
        let member = staff::change(&self.0, act, Change::State(state)).await?;
        Ok(Response::new(proto::SetStaffStateResponse {
            staff: Some(member.into()),
        }))
    }

    async fn set_staff_role(
        &self,
        request: Request<proto::SetStaffRoleRequest>,
    ) -> Result<Response<proto::SetStaffRoleResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[])?;
        let request = request.into_inner();
        let on = wire::id(&request.staff_id, STAFF_ID)?;
        let role = StaffRole::required(request.role, "role")?;
        let act = Act::parse(caller, on, &request.reason)?;
        let member = staff::change(&self.0, act, Change::Role(role)).await?;
        Ok(Response::new(proto::SetStaffRoleResponse {
            staff: Some(member.into()),
        }))
    }

    async fn change_staff_password(
        &self,
        request: Request<proto::ChangeStaffPasswordRequest>,
    ) -> Result<Response<proto::ChangeStaffPasswordResponse>, Status> {
        let caller = Caller::from_request(&request);
        let request = request.into_inner();
        let form = PasswordForm {
            old: request.old_password.into(),
            new: request.new_password.into(),
            token: TokenDigest::of(&request.token),
        };
        let member = staff::change_password(&self.0, caller, form).await?;
        Ok(Response::new(proto::ChangeStaffPasswordResponse {
            staff: Some(member.into()),
        }))
    }

    async fn reset_staff_password(
        &self,
        request: Request<proto::ResetStaffPasswordRequest>,
    ) -> Result<Response<proto::ResetStaffPasswordResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[])?;
        let request = request.into_inner();
        let on = wire::id(&request.staff_id, STAFF_ID)?;
        let act = Act::parse(caller, on, &request.reason)?;
        let (member, password) = staff::reset_password(&self.0, act).await?;
        Ok(Response::new(proto::ResetStaffPasswordResponse {
            staff: Some(member.into()),
            one_time_password: password.expose_secret().to_owned(),
        }))
    }

    async fn enroll_second_factor(
        &self,
        request: Request<proto::EnrollSecondFactorRequest>,
    ) -> Result<Response<proto::EnrollSecondFactorResponse>, Status> {
        let caller = Caller::from_request(&request);
        let enrolment = factor::enroll(&self.0, caller).await?;
        Ok(Response::new(enrolment.into()))
    }

    async fn confirm_second_factor(
        &self,
        request: Request<proto::ConfirmSecondFactorRequest>,
    ) -> Result<Response<proto::ConfirmSecondFactorResponse>, Status> {
        let caller = Caller::from_request(&request);
        let request = request.into_inner();
        let form = CodeForm {
            token: TokenDigest::of(&request.token),
            code: request.code.into(),
        };
        let fresh_until = factor::confirm(&self.0, caller, form).await?;
        Ok(Response::new(proto::ConfirmSecondFactorResponse {
            fresh_until: Some(fresh_until.into()),
        }))
    }

    async fn reset_second_factor(
        &self,
        request: Request<proto::ResetSecondFactorRequest>,
    ) -> Result<Response<proto::ResetSecondFactorResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[])?;
        let request = request.into_inner();
        let on = wire::id(&request.staff_id, STAFF_ID)?;
        let act = Act::parse(caller, on, &request.reason)?;
        let member = factor::reset(&self.0, act).await?;
        Ok(Response::new(proto::ResetSecondFactorResponse {
            staff: Some(member.into()),
        }))
    }

    async fn start_passkey_login(
        &self,
        _: Request<proto::StartPasskeyLoginRequest>,
    ) -> Result<Response<proto::StartPasskeyLoginResponse>, Status> {
        let begun = passkey::begin_login(&self.0)?;
        Ok(Response::new(proto::StartPasskeyLoginResponse {
            ceremony: begun.ceremony.expose_secret().to_owned(),
            options: begun.options,
        }))
    }

    async fn login_with_passkey(
        &self,
        request: Request<proto::LoginWithPasskeyRequest>,
    ) -> Result<Response<proto::LoginWithPasskeyResponse>, Status> {
        let caller = Caller::from_request(&request);
        let request = request.into_inner();
        let ended = ended(request.ceremony, request.credential);
        let device = DeviceToken::parse(&request.device_token);
        let logged_in =
            passkey::login(&self.0, caller, ended, request.client_address, device).await?;
        Ok(Response::new(logged_in.into()))
    }

    async fn start_passkey_registration(
        &self,
        request: Request<proto::StartPasskeyRegistrationRequest>,
    ) -> Result<Response<proto::StartPasskeyRegistrationResponse>, Status> {
        let caller = Caller::from_request(&request);
        let begun = passkey::begin_registration(&self.0, &caller).await?;
        Ok(Response::new(proto::StartPasskeyRegistrationResponse {
            ceremony: begun.ceremony.expose_secret().to_owned(),
            options: begun.options,
        }))
    }

    async fn register_passkey(
        &self,
        request: Request<proto::RegisterPasskeyRequest>,
    ) -> Result<Response<proto::RegisterPasskeyResponse>, Status> {
        let caller = Caller::from_request(&request);
        let request = request.into_inner();
        let token = TokenDigest::of(&request.token);
        let ended = ended(request.ceremony, request.credential);
        let passkey = passkey::register(&self.0, caller, token, ended, &request.name).await?;
        Ok(Response::new(proto::RegisterPasskeyResponse {
            passkey: Some(passkey.into()),
        }))
    }

    async fn list_passkeys(
        &self,
        request: Request<proto::ListPasskeysRequest>,
    ) -> Result<Response<proto::ListPasskeysResponse>, Status> {
        let caller = Caller::from_request(&request);
        let passkeys = passkey::list(&self.0, &caller).await?;
        Ok(Response::new(proto::ListPasskeysResponse {
            items: passkeys.into_iter().map(Into::into).collect(),
        }))
    }

    async fn remove_passkey(
        &self,
        request: Request<proto::RemovePasskeyRequest>,
    ) -> Result<Response<proto::RemovePasskeyResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(StaffRole::ALL)?;
        let id = wire::id(&request.into_inner().passkey_id, PASSKEY_ID)?;
        let passkey = passkey::remove(&self.0, caller, id).await?;
        Ok(Response::new(proto::RemovePasskeyResponse {
            passkey: Some(passkey.into()),
        }))
    }

    async fn start_passkey_confirmation(
        &self,
        request: Request<proto::StartPasskeyConfirmationRequest>,
    ) -> Result<Response<proto::StartPasskeyConfirmationResponse>, Status> {
        let caller = Caller::from_request(&request);
        let begun = passkey::begin_confirmation(&self.0, &caller).await?;
        Ok(Response::new(proto::StartPasskeyConfirmationResponse {
            ceremony: begun.ceremony.expose_secret().to_owned(),
            options: begun.options,
        }))
    }

    async fn confirm_with_passkey(
        &self,
        request: Request<proto::ConfirmWithPasskeyRequest>,
    ) -> Result<Response<proto::ConfirmWithPasskeyResponse>, Status> {
        let caller = Caller::from_request(&request);
        let request = request.into_inner();
        let token = TokenDigest::of(&request.token);
        let ended = ended(request.ceremony, request.credential);
        let fresh_until = passkey::confirm(&self.0, caller, token, ended).await?;
        Ok(Response::new(proto::ConfirmWithPasskeyResponse {
            fresh_until: Some(fresh_until.into()),
        }))
    }

    async fn end_staff_sessions(
        &self,
        request: Request<proto::EndStaffSessionsRequest>,
    ) -> Result<Response<proto::EndStaffSessionsResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(StaffRole::ALL)?;
        let id = wire::id(&request.into_inner().staff_id, STAFF_ID)?;
        let member = staff::end_sessions(&self.0, caller, id).await?;
        Ok(Response::new(proto::EndStaffSessionsResponse {
            staff: Some(member.into()),
        }))
    }

    async fn unlock_staff_login(
        &self,
        request: Request<proto::UnlockStaffLoginRequest>,
    ) -> Result<Response<proto::UnlockStaffLoginResponse>, Status> {
        let caller = Caller::from_request(&request);
        let request = request.into_inner();
        let cleared = staff::unlock(&self.0, caller, &request.username, &request.reason).await?;
        Ok(Response::new(proto::UnlockStaffLoginResponse {
            cleared: cleared.try_into().unwrap_or(u32::MAX),
        }))
    }

    async fn unlock_user_login(
        &self,
        request: Request<proto::UnlockUserLoginRequest>,
    ) -> Result<Response<proto::UnlockUserLoginResponse>, Status> {
        let caller = Caller::from_request(&request);
        let request = request.into_inner();
        let cleared = user::unlock(&self.0, caller, &request.username, &request.reason).await?;
        Ok(Response::new(proto::UnlockUserLoginResponse {
            cleared: cleared.try_into().unwrap_or(u32::MAX),
        }))
    }

    async fn create_license_keys(
        &self,
        request: Request<proto::CreateLicenseKeysRequest>,
    ) -> Result<Response<proto::CreateLicenseKeysResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Support])?;
        let request = request.into_inner();
        let digest = idempotency::digest(&request);
        let issue = request.try_into()?;
        let keys = license::issue(&self.0, caller, staff, digest, issue).await?;
        Ok(Response::new(proto::CreateLicenseKeysResponse {
            items: keys.into_iter().map(Into::into).collect(),
        }))
    }

    async fn list_license_keys(
        &self,
        request: Request<proto::ListLicenseKeysRequest>,
    ) -> Result<Response<proto::ListLicenseKeysResponse>, Status> {
        Caller::from_request(&request).require_staff(&[StaffRole::Support])?;
        let list = List::new(request.into_inner().page, "auth.license_keys", &NO_OWNER)?;
        let rows = license::list(&self.0, list.before()?, list.fetch()).await?;
        let (keys, next_cursor) = list.cut(rows, |last| last.id);
        Ok(Response::new(proto::ListLicenseKeysResponse {
            items: keys.into_iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn list_users(
        &self,
        request: Request<proto::ListUsersRequest>,
    ) -> Result<Response<proto::ListUsersResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(StaffRole::ALL)?;
        let request = request.into_inner();
        let state = UserState::optional(request.state, "state")?;
        let query = Query::parse(&request.query, state, View::of(staff.role))?;
        let list = List::new(request.page, &query.scope(), &NO_OWNER)?;
        let rows = user::list(&self.0, &query, list.before()?, list.fetch()).await?;
        let (users, next_cursor) = list.cut(rows, |last| last.id);
        let users = user::show_page(&self.0, &caller, staff, &query, users).await?;
        Ok(Response::new(proto::ListUsersResponse {
            items: users.into_iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn get_user_detail(
        &self,
        request: Request<proto::GetUserDetailRequest>,
    ) -> Result<Response<proto::GetUserDetailResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(StaffRole::ALL)?;
        let id = wire::id(&request.into_inner().user_id, "id")?;
        let (user, sessions) = user::detail(&self.0, &caller, staff, id).await?;
        Ok(Response::new(proto::GetUserDetailResponse {
            user: Some(user.into()),
            sessions: sessions.into_iter().map(Into::into).collect(),
        }))
    }

    async fn set_user_state(
        &self,
        request: Request<proto::SetUserStateRequest>,
    ) -> Result<Response<proto::SetUserStateResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Support])?;
        let request = request.into_inner();
        let id = wire::id(&request.user_id, "id")?;
        let state = UserState::required(request.state, "state")?;
        let reason = &request.reason;
        let user = user::set_state(&self.0, caller, staff, id, state, reason).await?;
        Ok(Response::new(proto::SetUserStateResponse {
            user: Some(user.into()),
        }))
    }

    async fn admin_list_security_log(
        &self,
        request: Request<proto::AdminListSecurityLogRequest>,
    ) -> Result<Response<proto::AdminListSecurityLogResponse>, Status> {
        Caller::from_request(&request).require_staff(&[StaffRole::Support])?;
        let request = request.into_inner();
        let user = wire::id(&request.user_id, "user_id")?;
        let list = List::new(request.page, "auth.staff.security_log", &user)?;
        let before = map::position(&list)?;
        let rows = user::security_log(&self.0, user, before, list.fetch()).await?;
        let (entries, next_cursor) = list.cut_by(rows, |last| last.position().write());
        Ok(Response::new(proto::AdminListSecurityLogResponse {
            items: entries.into_iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn end_user_sessions(
        &self,
        request: Request<proto::EndUserSessionsRequest>,
    ) -> Result<Response<proto::EndUserSessionsResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[StaffRole::Support])?;
        let request = request.into_inner();
        let user = wire::id(&request.user_id, "user_id")?;
        let reason = staff::required_reason(&request.reason)?;
        let ended = user::end_all_sessions(&self.0, caller, user, reason).await?;
        Ok(Response::new(proto::EndUserSessionsResponse {
            ended: i64::try_from(ended).unwrap_or(i64::MAX),
        }))
    }

    async fn create_host_token(
        &self,
        request: Request<proto::CreateHostTokenRequest>,
    ) -> Result<Response<proto::CreateHostTokenResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[StaffRole::Support])?;
        let request = request.into_inner();
        let (subject, lang) = (
            map::subject(request.external_user_id, &request.host_id)?,
            request.lang,
        );
        let session = user::create_host_token(&self.0, caller, subject, &lang).await?;
        Ok(Response::new(proto::CreateHostTokenResponse {
            token: session.token.expose().to_owned(),
        }))
    }

    async fn create_host(
        &self,
        request: Request<proto::CreateHostRequest>,
    ) -> Result<Response<proto::CreateHostResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[])?;
        let request = request.into_inner();
        let host = host::create(&self.0, caller, &request.name, &request.public_key).await?;
        Ok(Response::new(proto::CreateHostResponse {
            host: Some(host.into()),
        }))
    }

    async fn add_host_key(
        &self,
        request: Request<proto::AddHostKeyRequest>,
    ) -> Result<Response<proto::AddHostKeyResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[])?;
        let request = request.into_inner();
        let id = wire::id(&request.host_id, "host_id")?;
        let host = host::add_key(&self.0, caller, id, &request.public_key).await?;
        Ok(Response::new(proto::AddHostKeyResponse {
            host: Some(host.into()),
        }))
    }

    async fn revoke_host_key(
        &self,
        request: Request<proto::RevokeHostKeyRequest>,
    ) -> Result<Response<proto::RevokeHostKeyResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[])?;
        let request = request.into_inner();
        let kid = Kid::named(&request.kid);
        let host = host::revoke_key(&self.0, caller, kid, &request.reason).await?;
        Ok(Response::new(proto::RevokeHostKeyResponse {
            host: Some(host.into()),
        }))
    }

    async fn list_hosts(
        &self,
        request: Request<proto::ListHostsRequest>,
    ) -> Result<Response<proto::ListHostsResponse>, Status> {
        Caller::from_request(&request).require_staff(&[])?;
        let hosts = host::list(&self.0).await?;
        Ok(Response::new(proto::ListHostsResponse {
            items: hosts.into_iter().map(Into::into).collect(),
        }))
    }

    async fn set_user_profile(
        &self,
        request: Request<proto::SetUserProfileRequest>,
    ) -> Result<Response<proto::SetUserProfileResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Support])?;
        let request = request.into_inner();
        let id = wire::id(&request.user_id, "id")?;
        let user = user::set_standing(&self.0, caller, staff, id, (&request).into()).await?;
        Ok(Response::new(proto::SetUserProfileResponse {
            user: Some(user.into()),
        }))
    }

    async fn verify_audit_log(
        &self,
        request: Request<proto::VerifyAuditLogRequest>,
    ) -> Result<Response<proto::VerifyAuditLogResponse>, Status> {
        Caller::from_request(&request).require_staff(&[])?;
        // Before the chain: what stops waiting meanwhile is in the chain that is verified.
        let waiting = seal::unsealed(&self.0).await?;
        let newest = seal::newest(&self.0).await?;
        let last = newest.map_or(0, |newest| newest.seq);
        let found = seal::verify(&self.0, 0, last).await?;
        let (broken_sequence, detail) = found.broken.unwrap_or_default();
        Ok(Response::new(proto::VerifyAuditLogResponse {
            entries: i64::try_from(found.items).unwrap_or(i64::MAX),
            sequence: found.head.map_or(0, |head| head.seq),
            hash: found
                .head
                .map_or_else(String::new, |head| hex::encode(head.hash)),
            broken_sequence,
            detail: detail.to_owned(),
            waiting,
        }))
    }

    async fn list_audit(
        &self,
        request: Request<proto::ListAuditRequest>,
    ) -> Result<Response<proto::ListAuditResponse>, Status> {
        Caller::from_request(&request).require_staff(&[])?;
        let request = request.into_inner();
        let filter = audit::Filter::parse(&request.staff_id, &request.user_id, &request.action)?;
        let Some(filter) = filter else {
            wire::page(request.page)?;
            return Ok(Response::new(proto::ListAuditResponse::default()));
        };
        let list = List::new(request.page, &filter.scope(), &NO_OWNER)?;
        let before = map::position(&list)?;
        let rows = audit::list(&self.0, &filter, before, list.fetch()).await?;
        let (entries, next_cursor) = list.cut_by(rows, |last| last.entry.position().write());
        Ok(Response::new(proto::ListAuditResponse {
            items: entries.into_iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn get_waiting(
        &self,
        request: Request<proto::GetWaitingRequest>,
    ) -> Result<Response<proto::GetWaitingResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let dead_letters = self.0.dead_letters.waiting().await;
        Ok(Response::new(proto::GetWaitingResponse {
            items: dead_letters.into_iter().map(Into::into).collect(),
        }))
    }

    async fn claim_item(
        &self,
        request: Request<proto::ClaimItemRequest>,
    ) -> Result<Response<proto::ClaimItemResponse>, Status> {
        let caller = Caller::from_request(&request);
        let request = request.into_inner();
        let (staff, item) = claimant(&caller, request.kind, &request.item_id)?;
        let claim = claim::take(&self.0, staff, item).await?;
        Ok(Response::new(proto::ClaimItemResponse {
            claim: Some(claim.into()),
        }))
    }

    async fn release_claim(
        &self,
        request: Request<proto::ReleaseClaimRequest>,
    ) -> Result<Response<proto::ReleaseClaimResponse>, Status> {
        let caller = Caller::from_request(&request);
        let request = request.into_inner();
        let (staff, item) = claimant(&caller, request.kind, &request.item_id)?;
        claim::release(&self.0, staff, item).await?;
        Ok(Response::new(proto::ReleaseClaimResponse {}))
    }

    async fn list_claims(
        &self,
        request: Request<proto::ListClaimsRequest>,
    ) -> Result<Response<proto::ListClaimsResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(StaffRole::ALL)?;
        let request = request.into_inner();
        let kind = claim::Kind::required(request.kind, "kind")?;
        caller.require_staff(kind.roles())?;
        let list = List::new(request.page, "auth.claims", &kind.as_str())?;
        let rows = claim::list(&self.0, kind, list.before()?, list.fetch()).await?;
        let (claims, next_cursor) = list.cut(rows, |last| last.id);
        Ok(Response::new(proto::ListClaimsResponse {
            items: claims.into_iter().map(Into::into).collect(),
            next_cursor,
        }))
    }
}

/// The member of staff and the item of a claim.
fn claimant(caller: &Caller, kind: i32, item_id: &str) -> Result<(StaffId, Item), Refusal> {
    caller.require_staff(StaffRole::ALL)?;
    let kind = claim::Kind::required(kind, "kind")?;
    let staff = caller.require_staff(kind.roles())?;
    Ok((StaffId(staff.id), Item::parse(kind, item_id)?))
}
