//! What users do with their account.

use adfolio_kit::identity::Caller;
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::once::Once;
use adfolio_kit::server::caller_name;
use adfolio_kit::wire::List;
use adfolio_proto::auth::v1 as proto;
use adfolio_proto::auth::v1::auth_service_server::AuthService;
use tonic::{Request, Response, Status};

use super::{UserApi, map};
use crate::session::{self, Client, Kind, TokenDigest};
use crate::user::TypedCode;
use crate::{audit, user};

#[tonic::async_trait]
impl AuthService for UserApi {
    async fn register(
        &self,
        request: Request<proto::RegisterRequest>,
    ) -> Result<Response<proto::RegisterResponse>, Status> {
        let session = user::register(&self.0, request.into_inner().into()).await?;
        Ok(Response::new(proto::RegisterResponse {
            session: Some(session.into()),
        }))
    }

    async fn login(
        &self,
        request: Request<proto::LoginRequest>,
    ) -> Result<Response<proto::LoginResponse>, Status> {
        let session = user::login(&self.0, request.into_inner().into()).await?;
        Ok(Response::new(proto::LoginResponse {
            session: Some(session.into()),
        }))
    }

    async fn assert_host_user(
        &self,
        request: Request<proto::AssertHostUserRequest>,
    ) -> Result<Response<proto::AssertHostUserResponse>, Status> {
        let request = request.into_inner();
        let client = Client::of(&request.user_agent, &request.client_address);
        let session = user::enter_by_assertion(&self.0, &request.assertion, client).await?;
        Ok(Response::new(proto::AssertHostUserResponse {
            session: Some(session.into()),
        }))
    }

    async fn logout(
        &self,
        request: Request<proto::LogoutRequest>,
    ) -> Result<Response<proto::LogoutResponse>, Status> {
        let token = TokenDigest::of(&request.into_inner().token);
        session::end(&self.0, Kind::User, token).await?;
        Ok(Response::new(proto::LogoutResponse {}))
    }

    async fn open_store(
        &self,
        request: Request<proto::OpenStoreRequest>,
    ) -> Result<Response<proto::OpenStoreResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let request = request.into_inner();
        let client = Client::of(&request.user_agent, &request.client_address);
        let token = TokenDigest::of(&request.token);
        let session = user::open_store(&self.0, user, token, &request.code.into(), client).await?;
        Ok(Response::new(proto::OpenStoreResponse {
            session: Some(session.into()),
        }))
    }

    async fn get_user(
        &self,
        request: Request<proto::GetUserRequest>,
    ) -> Result<Response<proto::GetUserResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let user = user::get(&self.0, user).await?;
        Ok(Response::new(proto::GetUserResponse {
            user: Some(user.into()),
        }))
    }

    async fn edit_profile(
        &self,
        request: Request<proto::EditProfileRequest>,
    ) -> Result<Response<proto::EditProfileResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = user::edit(&self.0, &caller, request.into_inner().into()).await?;
        Ok(Response::new(proto::EditProfileResponse {
            user: Some(user.into()),
        }))
    }

    async fn send_email_code(
        &self,
        request: Request<proto::SendEmailCodeRequest>,
    ) -> Result<Response<proto::SendEmailCodeResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let request = request.into_inner();
        let once = Once::new::<proto::SendEmailCodeResponse>(&caller, user.0, &request);
        let answer = user::send_code(&self.0, once, user).await?;
        Ok(Response::new(answer.into_message()?))
    }

    async fn confirm_email(
        &self,
        request: Request<proto::ConfirmEmailRequest>,
    ) -> Result<Response<proto::ConfirmEmailResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let code = TypedCode::parse(&request.into_inner().code.into())?;
        let user = user::confirm_email(&self.0, user, code).await?;
        Ok(Response::new(proto::ConfirmEmailResponse {
            user: Some(user.into()),
        }))
    }

    async fn change_password(
        &self,
        request: Request<proto::ChangePasswordRequest>,
    ) -> Result<Response<proto::ChangePasswordResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        user::change_password(&self.0, user, request.into_inner().into()).await?;
        Ok(Response::new(proto::ChangePasswordResponse {}))
    }

    async fn step_up(
        &self,
        request: Request<proto::StepUpRequest>,
    ) -> Result<Response<proto::StepUpResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let request = request.into_inner();
        let token = TokenDigest::of(&request.token);
        let password = request.password.into();
        let fresh_until = user::step_up(&self.0, user, token, password).await?;
        Ok(Response::new(proto::StepUpResponse {
            fresh_until: Some(fresh_until.into()),
        }))
    }

    async fn list_sessions(
        &self,
        request: Request<proto::ListSessionsRequest>,
    ) -> Result<Response<proto::ListSessionsResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let token = TokenDigest::of(&request.into_inner().token);
        let (sessions, current) = user::sessions(&self.0, user, token).await?;
        Ok(Response::new(proto::ListSessionsResponse {
            items: sessions.into_iter().map(Into::into).collect(),
            current_id: current.map(|id| id.to_string()).unwrap_or_default(),
        }))
    }

    async fn end_sessions(
        &self,
        request: Request<proto::EndSessionsRequest>,
    ) -> Result<Response<proto::EndSessionsResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let request = request.into_inner();
        let which = request.target.try_into()?;
        let token = TokenDigest::of(&request.token);
        user::end_sessions(&self.0, user, token, which).await?;
        Ok(Response::new(proto::EndSessionsResponse {}))
    }

    async fn list_security_log(
        &self,
        request: Request<proto::ListSecurityLogRequest>,
    ) -> Result<Response<proto::ListSecurityLogResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let list = List::new(request.into_inner().page, "auth.security_log", &user)?;
        let before = map::position(&list)?;
        let rows = audit::list_of_user(&self.0, user, before, list.fetch()).await?;
        let (entries, next_cursor) = list.cut_by(rows, |last| last.position().write());
        Ok(Response::new(proto::ListSecurityLogResponse {
            items: entries.into_iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn verify_session(
        &self,
        request: Request<proto::VerifySessionRequest>,
    ) -> Result<Response<proto::VerifySessionResponse>, Status> {
        let asked_by = caller_name(&request).map(str::to_owned);
        let token = TokenDigest::of(&request.into_inner().token);
        let (session, user) = user::verify_session(&self.0, token).await?;
        let described = session.described();
        let identity_token = match &self.0.signer {
            Some(signer) => signer.user(user.id, described, asked_by.as_deref())?,
            None => String::new(),
        };
        Ok(Response::new(proto::VerifySessionResponse {
            user_id: user.id.to_string(),
            session_id: session.id.to_string(),
            state: user.state.to_wire(),
            entry: user.entry.to_wire(),
            lang: user.lang,
            expires_at: Some(session.expires_at.into()),
            opened_at: Some(described.opened_at.into()),
            fresh_until: Some(described.fresh_until.into()),
            is_registration: described.is_registration,
            identity_token,
        }))
    }
}
