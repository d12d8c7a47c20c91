//! What staff do with wallets.

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use adfolio_proto::wallet::v1 as proto;
use adfolio_proto::wallet::v1::wallet_admin_service_server::WalletAdminService;
use tonic::{Request, Response, Status};

use super::{Grpc, approval, map};
use crate::error::WalletError;
use crate::posting::entity::Command;
use crate::posting::movement::{Movement, MovementKind};
use crate::withdrawal::Filter;
use crate::{chain, posting, property, reconcile};

impl Grpc {
    /// What finance posts to a user's wallet, as the user sees it. A large posting waits for another member of staff.
    async fn staff_posting(
        &self,
        caller: &Caller,
        user_id: &str,
        (kind, amount_minor, remark): (MovementKind, i64, &str),
    ) -> Result<proto::FlowEntry, Status> {
        let staff = caller.require_staff(&[StaffRole::Finance])?;
        let user_id = wire::id(user_id, "user_id")?;
        let by = (staff, caller);
        let movement =
            Movement::by_staff(kind, user_id, by, self.ids.next(), amount_minor, remark)?;
        let amount = movement.amount;
        if self.approvals.is_needed(&movement, amount).await? {
            let asked = (user_id, movement, amount);
            let refusal = self.approvals.ask(caller, staff, asked).await?;
            return Err(refusal.into());
        }
        let command = Command::movement(user_id, movement);
        let done = posting::post_to_named(&self.queue, &self.peers, caller, command).await?;
        let booked = done
            .transaction
            .ok_or(WalletError::Unreadable("transaction of a posting"))?;
        Ok(map::staff_entry(kind, booked, amount_minor, remark)?)
    }
}

#[tonic::async_trait]
impl WalletAdminService for Grpc {
    async fn deposit(
        &self,
        request: Request<proto::DepositRequest>,
    ) -> Result<Response<proto::DepositResponse>, Status> {
        let caller = Caller::from_request(&request);
        let it = request.into_inner();
        let posting = (MovementKind::Deposit, it.amount_minor, it.remark.as_str());
        let entry = self.staff_posting(&caller, &it.user_id, posting).await?;
        Ok(Response::new(proto::DepositResponse { entry: Some(entry) }))
    }

    async fn chargeback(
        &self,
        request: Request<proto::ChargebackRequest>,
    ) -> Result<Response<proto::ChargebackResponse>, Status> {
        let caller = Caller::from_request(&request);
        let it = request.into_inner();
        let posting = (
            MovementKind::Chargeback,
            it.amount_minor,
            it.remark.as_str(),
        );
        let entry = self.staff_posting(&caller, &it.user_id, posting).await?;
        Ok(Response::new(proto::ChargebackResponse {
            entry: Some(entry),
        }))
    }

    async fn deduct_recharge(
        &self,
        request: Request<proto::DeductRechargeRequest>,
    ) -> Result<Response<proto::DeductRechargeResponse>, Status> {
        let caller = Caller::from_request(&request);
        let it = request.into_inner();
        let kind = MovementKind::RechargeDeduction;
        let posting = (kind, it.amount_minor, it.remark.as_str());
        let entry = self.staff_posting(&caller, &it.user_id, posting).await?;
        Ok(Response::new(proto::DeductRechargeResponse {
            entry: Some(entry),
        }))
    }

    async fn open_membership(
        &self,
        request: Request<proto::OpenMembershipRequest>,
    ) -> Result<Response<proto::OpenMembershipResponse>, Status> {
        let caller = Caller::from_request(&request);
        let it = request.into_inner();
        let posting = (MovementKind::Membership, it.amount_minor, "");
        let entry = self.staff_posting(&caller, &it.user_id, posting).await?;
        let user_id = wire::id(&it.user_id, "user_id")?;
        self.peers.grant_membership(&caller, user_id).await;
        Ok(Response::new(proto::OpenMembershipResponse {
            entry: Some(entry),
        }))
    }

    async fn change_start_up_funds(
        &self,
        request: Request<proto::ChangeStartUpFundsRequest>,
    ) -> Result<Response<proto::ChangeStartUpFundsResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[StaffRole::Finance])?;
        let it = request.into_inner();
        let kind = match proto::StartUpFundsAction::try_from(it.action) {
            Ok(proto::StartUpFundsAction::Grant) => MovementKind::StartUpGrant,
            Ok(proto::StartUpFundsAction::Return) => MovementKind::StartUpReturn,
            _ => return Err(Refusal::invalid("action").into()),
        };
        let posting = (kind, it.amount_minor, "");
        let entry = self.staff_posting(&caller, &it.user_id, posting).await?;
        Ok(Response::new(proto::ChangeStartUpFundsResponse {
            entry: Some(entry),
        }))
    }

    async fn admin_list_withdrawals(
        &self,
        request: Request<proto::AdminListWithdrawalsRequest>,
    ) -> Result<Response<proto::AdminListWithdrawalsResponse>, Status> {
        Caller::from_request(&request).require_staff(&[StaffRole::Finance])?;
        let request = request.into_inner();
        let filter = Filter {
            status: map::status_filter(request.status)?,
            user_id: wire::filter_id(&request.user_id),
        };
        let (page, cursor) = wire::page(request.page)?;
        let (rows, next) = self
            .withdrawals
            .list_for_staff(filter, page, cursor.as_deref())
            .await?;
        Ok(Response::new(proto::AdminListWithdrawalsResponse {
            items: rows.into_iter().map(map::withdrawal).collect(),
            next_cursor: next.unwrap_or_default(),
        }))
    }

    async fn decide_withdrawal(
        &self,
        request: Request<proto::DecideWithdrawalRequest>,
    ) -> Result<Response<proto::DecideWithdrawalResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Finance])?;
        let request = request.into_inner();
        let id = wire::id(&request.withdrawal_id, "id")?;
        let kind = match proto::WithdrawalDecision::try_from(request.decision) {
            Ok(proto::WithdrawalDecision::Paid) => MovementKind::WithdrawalPaid,
            Ok(proto::WithdrawalDecision::Rejected) => MovementKind::WithdrawalRejected,
            _ => return Err(Refusal::invalid("decision").into()),
        };
        let shown = self
            .withdrawals
            .decide(&caller, staff, id, kind, &request.reason)
            .await?;
        Ok(Response::new(proto::DecideWithdrawalResponse {
            withdrawal: Some(map::withdrawal(shown)),
        }))
    }

    async fn list_approvals(
        &self,
        request: Request<proto::ListApprovalsRequest>,
    ) -> Result<Response<proto::ListApprovalsResponse>, Status> {
        Caller::from_request(&request).require_staff(&[StaffRole::Finance])?;
        let request = request.into_inner();
        let state = approval::state_filter(request.state)?;
        let (page, cursor) = wire::page(request.page)?;
        let (rows, next) = self.approvals.list(state, page, cursor.as_deref()).await?;
        let items: Result<_, _> = rows.into_iter().map(approval::shown).collect();
        Ok(Response::new(proto::ListApprovalsResponse {
            items: items?,
            next_cursor: next.unwrap_or_default(),
        }))
    }

    async fn decide_approval(
        &self,
        request: Request<proto::DecideApprovalRequest>,
    ) -> Result<Response<proto::DecideApprovalResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Finance])?;
        let decision = approval::decision(staff, &request.into_inner())?;
        let decided = self.approvals.decide(&caller, decision).await?;
        Ok(Response::new(proto::DecideApprovalResponse {
            approval: Some(approval::shown(decided)?),
        }))
    }

    async fn reset_pay_password(
        &self,
        request: Request<proto::ResetPayPasswordRequest>,
    ) -> Result<Response<proto::ResetPayPasswordResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Support])?;
        let request = request.into_inner();
        let user_id = wire::id(&request.user_id, "user_id")?;
        let answer = self
            .passwords
            .reset(&self.peers, &caller, staff, user_id, &request)
            .await?;
        Ok(Response::new(answer))
    }

    async fn get_user_settings(
        &self,
        request: Request<proto::GetUserSettingsRequest>,
    ) -> Result<Response<proto::GetUserSettingsResponse>, Status> {
        Caller::from_request(&request).require_staff(&StaffRole::ALL)?;
        let ids = request.into_inner().user_ids;
        let ids: Result<Vec<_>, _> = ids.iter().map(|id| wire::id(id, "user_ids")).collect();
        let settings = property::settings(&self.pool, &ids?).await?;
        let items = settings.into_iter().map(|found| proto::UserSettings {
            user_id: found.user_id.to_string(),
            has_pay_password: found.has_pay_password,
            has_bank_card: found.has_bank_card,
        });
        Ok(Response::new(proto::GetUserSettingsResponse {
            items: items.collect(),
        }))
    }

    async fn get_user_property(
        &self,
        request: Request<proto::GetUserPropertyRequest>,
    ) -> Result<Response<proto::GetUserPropertyResponse>, Status> {
        Caller::from_request(&request).require_staff(&StaffRole::ALL)?;
        let user_id = wire::id(&request.into_inner().user_id, "user_id")?;
        let property = property::of_user(&self.pool, user_id).await?;
        Ok(Response::new(proto::GetUserPropertyResponse {
            property: Some(self.property(property)),
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
