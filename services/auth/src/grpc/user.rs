//! What users do with their account.

use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use adfolio_proto::auth::v1::auth_service_server::AuthService;
use adfolio_proto::auth::v1::end_sessions_request::Target;
use adfolio_proto::auth::v1::{
    ChangePasswordRequest, ChangePasswordResponse, EditProfileRequest, EditProfileResponse,
    EndSessionsRequest, EndSessionsResponse, GetUserRequest, GetUserResponse,
    ListSecurityLogRequest, ListSecurityLogResponse, ListSessionsRequest, ListSessionsResponse,
    LoginRequest, LoginResponse, LogoutRequest, LogoutResponse, OpenStoreRequest,
    OpenStoreResponse, RegisterRequest, RegisterResponse, VerifySessionRequest,
    VerifySessionResponse,
};
use tonic::{Request, Response, Status};

use super::map;
use crate::attempt;
use crate::audit;
use crate::context::Context;
use crate::session::{self, Client, Kind, TokenDigest};
use crate::user::{self, Login, PasswordForm, ProfileChange, RegistrationForm, Which};

/// Serves users.
#[derive(Debug)]
pub struct UserGrpc {
    context: Context,
}

impl UserGrpc {
    /// On the given context.
    pub fn new(context: Context) -> Self {
        Self { context }
    }
}

#[tonic::async_trait]
impl AuthService for UserGrpc {
    async fn register(
        &self,
        request: Request<RegisterRequest>,
    ) -> Result<Response<RegisterResponse>, Status> {
        let message = request.into_inner();
        let client = Client::of(&message.user_agent, &message.client_address);
        let form = RegistrationForm {
            username: message.username,
            nickname: message.nickname,
            password: message.password.into(),
            confirm_password: message.confirm_password.into(),
            email: message.email,
            phone: message.phone,
            license_key: message.license_key.into(),
            older_form: message.older_form,
            client,
        };
        let session = map::session(user::register(&self.context, form).await?);
        Ok(Response::new(RegisterResponse {
            session: Some(session),
        }))
    }

    async fn login(
        &self,
        request: Request<LoginRequest>,
    ) -> Result<Response<LoginResponse>, Status> {
        let message = request.into_inner();
        let login = Login {
            username: message.username,
            password: message.password.into(),
            client_address: message.client_address,
            user_agent: message.user_agent,
        };
        let login = user::login(&self.context, login).await;
        attempt::count("user", &login);
        let session = map::session(login?);
        Ok(Response::new(LoginResponse {
            session: Some(session),
        }))
    }

    async fn logout(
        &self,
        request: Request<LogoutRequest>,
    ) -> Result<Response<LogoutResponse>, Status> {
        let token = TokenDigest::of(&request.into_inner().token);
        session::end(&self.context, Kind::User, token).await?;
        Ok(Response::new(LogoutResponse {}))
    }

    async fn open_store(
        &self,
        request: Request<OpenStoreRequest>,
    ) -> Result<Response<OpenStoreResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let message = request.into_inner();
        let client = Client::of(&message.user_agent, &message.client_address);
        let code = message.code.into();
        let opened = user::open_store(&self.context, user.0, &code, client).await?;
        let session = map::session(opened);
        Ok(Response::new(OpenStoreResponse {
            session: Some(session),
        }))
    }

    async fn get_user(
        &self,
        request: Request<GetUserRequest>,
    ) -> Result<Response<GetUserResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let user = map::user(user::get(&self.context, user.0).await?);
        Ok(Response::new(GetUserResponse { user: Some(user) }))
    }

    async fn edit_profile(
        &self,
        request: Request<EditProfileRequest>,
    ) -> Result<Response<EditProfileResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let message = request.into_inner();
        let change = ProfileChange {
            nickname: message.nickname,
            email: message.email,
            phone: message.phone,
            avatar_file_id: message.avatar_file_id,
            lang: message.lang,
        };
        let user = map::user(user::edit(&self.context, user.0, change).await?);
        Ok(Response::new(EditProfileResponse { user: Some(user) }))
    }

    async fn change_password(
        &self,
        request: Request<ChangePasswordRequest>,
    ) -> Result<Response<ChangePasswordResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let message = request.into_inner();
        let form = PasswordForm {
            old: message.old_password.into(),
            new: message.new_password.into(),
            confirmed: message.confirm_password.into(),
            client_address: message.client_address,
        };
        user::change_password(&self.context, user.0, form).await?;
        Ok(Response::new(ChangePasswordResponse {}))
    }

    async fn list_sessions(
        &self,
        request: Request<ListSessionsRequest>,
    ) -> Result<Response<ListSessionsResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let token = TokenDigest::of(&request.into_inner().token);
        let (sessions, current) = user::sessions(&self.context, user.0, token).await?;
        Ok(Response::new(ListSessionsResponse {
            items: sessions.into_iter().map(map::session_summary).collect(),
            current_id: current.map(|id| id.to_string()).unwrap_or_default(),
        }))
    }

    async fn end_sessions(
        &self,
        request: Request<EndSessionsRequest>,
    ) -> Result<Response<EndSessionsResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let message = request.into_inner();
        let which = match message.target {
            Some(Target::SessionId(id)) => Which::One(wire::id(&id, "id")?),
            Some(Target::Others(true)) => Which::Others,
            Some(Target::Others(false)) | None => return Err(Refusal::invalid("id").into()),
        };
        let token = TokenDigest::of(&message.token);
        user::end_sessions(&self.context, user.0, token, which).await?;
        Ok(Response::new(EndSessionsResponse {}))
    }

    async fn list_security_log(
        &self,
        request: Request<ListSecurityLogRequest>,
    ) -> Result<Response<ListSecurityLogResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let (page, cursor) = wire::page(request.into_inner().page)?;
        let cursor = cursor.as_deref();
        let (entries, next) = audit::list_of_user(&self.context, user.0, cursor, page).await?;
        Ok(Response::new(ListSecurityLogResponse {
            items: entries.into_iter().map(map::security_entry).collect(),
            next_cursor: next.unwrap_or_default(),
        }))
    }

    async fn verify_session(
        &self,
        request: Request<VerifySessionRequest>,
    ) -> Result<Response<VerifySessionResponse>, Status> {
        let token = TokenDigest::of(&request.into_inner().token);
        let (session, user) = user::verify_session(&self.context, token).await?;
        Ok(Response::new(VerifySessionResponse {
            user_id: user.id.to_string(),
            session_id: session.id.to_string(),
            state: map::state(user.state).into(),
            entry: map::entry(user.entry).into(),
            lang: user.lang,
            expires_at: Some(session.expires_at.into()),
        }))
    }
}
