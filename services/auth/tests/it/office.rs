//! An office: a service with staff, and what they do to each other's accounts.

use std::time::Duration;

use adfolio_kit::client::outgoing;
use adfolio_kit::identity::{Caller, StaffRole as Role};
use adfolio_proto::auth::v1::{
    AuditEntry, ChangeStaffPasswordRequest, CreateStaffRequest, EndStaffSessionsRequest,
    ListAuditRequest, ListStaffRequest, ResetStaffPasswordRequest, ResetStaffPasswordResponse,
    SetStaffRoleRequest, SetStaffStateRequest, Staff, StaffLoginRequest, StaffLoginResponse,
    StaffRole, StaffState, VerifyStaffSessionRequest, VerifyStaffSessionResponse,
};
use adfolio_testkit::eventually;
use serde_json::Value;
use tonic::{Request, Status};

use crate::helpers::{Auth, PASSWORD, anonymous, as_staff};

pub const NEW_PASSWORD: &str = "a new horse battery";

/// A service with two admins, Ada and Bea, and Finn of finance.
pub struct Office {
    pub auth: Auth,
    pub ada: Staff,
    pub bea: Staff,
    pub finn: Staff,
}

impl Office {
    pub async fn open() -> Self {
        Self::of(Auth::spawn().await).await
    }

    pub async fn of(auth: Auth) -> Self {
        let ada = create(&auth, "ada", StaffRole::Admin).await;
        let bea = create(&auth, "bea", StaffRole::Admin).await;
        let finn = create(&auth, "finn", StaffRole::Finance).await;
        Self {
            auth,
            ada,
            bea,
            finn,
        }
    }

    /// Of members that are there.
    pub fn with(auth: Auth, ada: Staff, bea: Staff, finn: Staff) -> Self {
        Self {
            auth,
            ada,
            bea,
            finn,
        }
    }

    pub async fn log_in(&self, name: &str) -> String {
        login(&self.auth, name, PASSWORD).await.unwrap().token
    }

    pub async fn set_state(
        &self,
        by: &Staff,
        on: &Staff,
        state: StaffState,
    ) -> Result<Staff, Status> {
        let message = SetStaffStateRequest {
            staff_id: on.id.clone(),
            state: state.into(),
            reason: "left us".to_owned(),
        };
        let answer = self
            .auth
            .admin()
            .set_staff_state(by_staff(by, message))
            .await?;
        Ok(answer.into_inner().staff.unwrap())
    }

    pub async fn set_role(&self, by: &Staff, on: &Staff, role: StaffRole) -> Result<Staff, Status> {
        let message = SetStaffRoleRequest {
            staff_id: on.id.clone(),
            role: role.into(),
            reason: "new desk".to_owned(),
        };
        let answer = self
            .auth
            .admin()
            .set_staff_role(by_staff(by, message))
            .await?;
        Ok(answer.into_inner().staff.unwrap())
    }

    pub async fn change_password(&self, by: &Staff, old: &str, new: &str) -> Result<Staff, Status> {
        let message = ChangeStaffPasswordRequest {
            old_password: old.to_owned(),
            new_password: new.to_owned(),
            client_address: "192.0.2.1".to_owned(),
            token: String::new(),
        };
        let answer = self
            .auth
            .admin()
            .change_staff_password(by_staff(by, message))
            .await?;
        Ok(answer.into_inner().staff.unwrap())
    }

    pub async fn reset(&self, by: &Staff, on: &str) -> Result<ResetStaffPasswordResponse, Status> {
        let message = ResetStaffPasswordRequest {
            staff_id: on.to_owned(),
            reason: "forgot it".to_owned(),
        };
        let answer = self
            .auth
            .admin()
            .reset_staff_password(by_staff(by, message))
            .await?;
        Ok(answer.into_inner())
    }

    pub async fn end_sessions(&self, by: &Staff, on: &str) -> Result<Staff, Status> {
        let message = EndStaffSessionsRequest {
            staff_id: on.to_owned(),
        };
        let answer = self
            .auth
            .admin()
            .end_staff_sessions(by_staff(by, message))
            .await?;
        Ok(answer.into_inner().staff.unwrap())
    }

    pub async fn list(&self) -> Vec<Staff> {
        let request = as_staff(Role::Admin, ListStaffRequest { page: None });
        let answer = self.auth.admin().list_staff(request).await.unwrap();
        answer.into_inner().items
    }

    pub async fn listed(&self, member: &Staff) -> Staff {
        let mut all = self.list().await.into_iter();
        all.find(|listed| listed.id == member.id).unwrap()
    }

    /// The audit entries of an action, newest first, once there are so many.
    pub async fn audited(&self, action: &str, count: usize) -> Vec<AuditEntry> {
        eventually("the entries are there", || async {
            self.entries(action).await.len() >= count
        })
        .await;
        let entries = self.entries(action).await;
        assert_eq!(entries.len(), count, "{entries:?}");
        entries
    }

    async fn entries(&self, action: &str) -> Vec<AuditEntry> {
        let message = ListAuditRequest {
            action: action.to_owned(),
            ..ListAuditRequest::default()
        };
        let request = as_staff(Role::Admin, message);
        let answer = self.auth.admin().list_audit(request).await.unwrap();
        answer.into_inner().items
    }
}

async fn create(auth: &Auth, username: &str, role: StaffRole) -> Staff {
    let message = CreateStaffRequest {
        username: username.to_owned(),
        password: PASSWORD.to_owned(),
        role: role.into(),
        second: None,
    };
    let answer = auth
        .admin()
        .create_staff(as_staff(Role::Admin, message))
        .await
        .unwrap();
    answer.into_inner().staff.unwrap()
}

pub async fn login(
    auth: &Auth,
    username: &str,
    password: &str,
) -> Result<StaffLoginResponse, Status> {
    login_from(auth, username, password, "192.0.2.1").await
}

pub async fn login_from(
    auth: &Auth,
    username: &str,
    password: &str,
    address: &str,
) -> Result<StaffLoginResponse, Status> {
    login_on(auth, "", username, password, address).await
}

/// From the device of this token.
pub async fn login_on(
    auth: &Auth,
    device: &str,
    username: &str,
    password: &str,
    address: &str,
) -> Result<StaffLoginResponse, Status> {
    let message = StaffLoginRequest {
        username: username.to_owned(),
        password: password.to_owned(),
        client_address: address.to_owned(),
        code: String::new(),
        device_token: device.to_owned(),
    };
    let answer = auth.admin().staff_login(anonymous(message)).await?;
    Ok(answer.into_inner())
}

pub async fn verify(auth: &Auth, token: &str) -> Result<VerifyStaffSessionResponse, Status> {
    let message = VerifyStaffSessionRequest {
        token: token.to_owned(),
    };
    let answer = auth
        .admin()
        .verify_staff_session(anonymous(message))
        .await?;
    Ok(answer.into_inner())
}

fn role_of(staff: &Staff) -> Role {
    match staff.role() {
        StaffRole::Admin => Role::Admin,
        StaffRole::Support => Role::Support,
        StaffRole::Finance => Role::Finance,
        StaffRole::Operator => Role::Operator,
        StaffRole::Unspecified => panic!("no role"),
    }
}

/// A call in a session of this member, as the gateway makes it.
pub fn by_staff<M>(staff: &Staff, message: M) -> Request<M> {
    let caller = Caller::staff(staff.id.parse().unwrap(), role_of(staff));
    outgoing(&caller, message, Duration::from_secs(30))
}

pub fn parsed(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}
