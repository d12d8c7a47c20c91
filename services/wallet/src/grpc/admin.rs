//! What staff do with wallets.

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::wire;
use adfolio_proto::wallet::v1 as proto;
use adfolio_proto::wallet::v1::wallet_admin_service_server::WalletAdminService;
use tonic::{Request, Response, Status};

use super::{Grpc, map};
use crate::error::WalletError;
use crate::posting::entity::Command;
use crate::{chain, posting, property, reconcile};

/// Every role.
const ANY_ROLE: [StaffRole; 3] = [StaffRole::Support, StaffRole::Finance, StaffRole::Operator];

#[tonic::async_trait]
impl WalletAdminService for Grpc {
    async fn deposit(
        &self,
        request: Request<proto::DepositRequest>,
    ) -> Result<Response<proto::DepositResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Finance])?;
        let request = request.into_inner();
        let user_id = wire::id(&request.user_id, "user_id")?;
        let (key, fresh) = (caller.idempotency_key.as_ref(), self.ids.next());
        let command = Command::deposit(
            user_id,
            staff,
            key,
            fresh,
            request.amount_minor,
            &request.remark,
        )?;
        let done = posting::deposit(&self.queue, &self.peers, &caller, command).await?;
        let booked = done
            .transaction
            .ok_or(WalletError::Unreadable("transaction of a deposit"))?;
        let entry = map::deposit_entry(
            booked,
            request.amount_minor,
            request.remark.trim().to_owned(),
        );
        Ok(Response::new(proto::DepositResponse { entry: Some(entry) }))
    }

    async fn get_user_property(
        &self,
        request: Request<proto::GetUserPropertyRequest>,
    ) -> Result<Response<proto::GetUserPropertyResponse>, Status> {
        Caller::from_request(&request).require_staff(&ANY_ROLE)?;
        let user_id = wire::id(&request.into_inner().user_id, "user_id")?;
        let property = property::of_user(&self.pool, user_id).await?;
        Ok(Response::new(proto::GetUserPropertyResponse {
            property: Some(map::property(property)),
        }))
    }

    async fn reconcile(
        &self,
        request: Request<proto::ReconcileRequest>,
    ) -> Result<Response<proto::ReconcileResponse>, Status> {
        Caller::from_request(&request).require_staff(&[StaffRole::Finance])?;
        let checks = reconcile::reconcile(&self.pool, &self.peers).await?;
        let ok = checks.iter().all(|check| check.ok);
        let checks = checks.into_iter().map(|check| proto::ReconcileCheck {
            name: check.name.to_owned(),
            ok: check.ok,
            figure: check.figure,
            detail: check.detail,
        });
        Ok(Response::new(proto::ReconcileResponse {
            ok,
            checks: checks.collect(),
        }))
    }

    async fn verify_chains(
        &self,
        request: Request<proto::VerifyChainsRequest>,
    ) -> Result<Response<proto::VerifyChainsResponse>, Status> {
        Caller::from_request(&request).require_staff(&[StaffRole::Finance])?;
        let only = wire::optional_id(&request.into_inner().user_id, "user_id")?;
        let verification = chain::verify(&self.pool, only).await?;
        let broken = verification
            .broken
            .into_iter()
            .map(|found| proto::BrokenChain {
                user_id: found.user_id.to_string(),
                sequence: found.seq,
                detail: found.detail.to_owned(),
            });
        Ok(Response::new(proto::VerifyChainsResponse {
            users: i64::try_from(verification.users).unwrap_or(i64::MAX),
            transactions: i64::try_from(verification.transactions).unwrap_or(i64::MAX),
            broken: broken.collect(),
        }))
    }
}
