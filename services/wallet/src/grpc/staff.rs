//! What staff do with wallets.

use adfolio_kit::error::CoreError;
use adfolio_kit::identity::{Caller, StaffRole, UserId, cut_reason};
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::once::Once;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire::{self, List};
use adfolio_proto::wallet::v1 as proto;
use adfolio_proto::wallet::v1::wallet_admin_service_server::WalletAdminService;
use futures::StreamExt as _;
use tonic::codegen::BoxStream;
use tonic::{Request, Response, Status};

use super::{StaffApi, map, user};
use crate::approval::entity::State;
use crate::chain::entity::Break;
use crate::freeze::entity::LONGEST_REASON;
use crate::ids::{PaymentBatchId, WithdrawalId};
use crate::posting::movement::{Movement, MovementKind};
use crate::posting::outcome::Done;
use crate::withdrawal::Filter;
use crate::withdrawal::entity::ShownStatus;
use crate::{
    approval, chain, checkpoint, freeze, pay_password, property, reconcile, waiting, withdrawal,
};

impl StaffApi {
    /// What finance posts to a user's wallet, as the user sees it.
    async fn staff_posting(
        &self,
        caller: &Caller,
        user_id: &str,
        (kind, amount_minor, remark): (MovementKind, i64, &str),
    ) -> Result<proto::FlowEntry, Status> {
        let posting = (kind, amount_minor, remark);
        let done = self.staff_movement(caller, user_id, posting).await?;
        let booked = done
            .transaction
            .ok_or(CoreError::Corrupt("transaction of a posting"))?;
        Ok(map::staff_entry(kind, &booked, amount_minor, remark)?)
    }

    /// What finance posts to a user's wallet. What exceeds the threshold of four eyes waits for another member of staff.
    async fn staff_movement(
        &self,
        caller: &Caller,
        user_id: &str,
        (kind, amount_minor, remark): (MovementKind, i64, &str),
    ) -> Result<Done, Status> {
        let staff = caller.require_staff(&[StaffRole::Finance])?;
        let user_id = wire::id(user_id, "user_id")?;
        let by = (staff, caller);
        let movement =
            Movement::by_staff(kind, user_id, by, self.0.ids.next(), amount_minor, remark)?;
        let amount = movement.amount;
        let asked = (user_id, movement, amount);
        Ok(approval::post_or_ask(&self.0, caller, staff, asked).await?)
    }
}

#[tonic::async_trait]
impl WalletAdminService for StaffApi {
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
        self.0.peers.grant_membership(&caller, user_id).await;
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

    async fn change_guarantee(
        &self,
        request: Request<proto::ChangeGuaranteeRequest>,
    ) -> Result<Response<proto::ChangeGuaranteeResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[StaffRole::Finance])?;
        let it = request.into_inner();
        let kind = match proto::GuaranteeAction::try_from(it.action) {
            Ok(proto::GuaranteeAction::Deposit) => MovementKind::GuaranteeDeposit,
            Ok(proto::GuaranteeAction::Return) => MovementKind::GuaranteeReturn,
            _ => return Err(Refusal::invalid("action").into()),
        };
        let posting = (kind, it.amount_minor, it.remark.as_str());
        let done = self.staff_movement(&caller, &it.user_id, posting).await?;
        Ok(Response::new(proto::ChangeGuaranteeResponse {
            property: Some(super::property(&self.0, done.property)),
        }))
    }

    async fn admin_list_withdrawals(
        &self,
        request: Request<proto::AdminListWithdrawalsRequest>,
    ) -> Result<Response<proto::AdminListWithdrawalsResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[StaffRole::Finance])?;
        let request = request.into_inner();
        let status = ShownStatus::optional(request.status, "status")?
            .map(ShownStatus::as_filter)
            .transpose()?;
        let user_id = wire::filter_id(&request.user_id);
        let batch_id = wire::filter_id(&request.payment_batch_id);
        let id = wire::filter_id(&request.id).map(WithdrawalId);
        if id.is_some() && (batch_id.is_some() || status.is_some() || user_id.is_some()) {
            return Err(Refusal::invalid("id").into());
        }
        if batch_id.is_some() && (status.is_some() || user_id.is_some()) {
            return Err(Refusal::invalid("payment_batch_id").into());
        }
        // Part of every cursor: with another text, cursors that callers hold become invalid.
        let owner = match batch_id {
            None => format!("Filter {{ status: {status:?}, user_id: {user_id:?} }}"),
            Some(batch) => format!("payment_batch:{batch}"),
        };
        let filter = Filter {
            status,
            user_id: user_id.map(UserId),
            payment_batch_id: batch_id.map(PaymentBatchId),
        };
        let list = List::new(request.page, "wallet.withdrawals.staff", &owner)?;
        let (before, limit) = (list.before()?, list.fetch());
        let rows = match id {
            Some(id) => withdrawal::find_for_staff(&self.0, id).await?,
            None => withdrawal::list_for_staff(&self.0, filter, before, limit).await?,
        };
        let (rows, next_cursor) = list.cut(rows, |last| last.withdrawal.id);
        withdrawal::record_look(&self.0, &caller, filter, &rows).await?;
        Ok(Response::new(proto::AdminListWithdrawalsResponse {
            items: rows.into_iter().map(Into::into).collect(),
            next_cursor,
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
        let shown = withdrawal::decide(&self.0, &caller, staff, id, kind, &request.reason).await?;
        Ok(Response::new(proto::DecideWithdrawalResponse {
            withdrawal: Some(shown.into()),
        }))
    }

    async fn list_approvals(
        &self,
        request: Request<proto::ListApprovalsRequest>,
    ) -> Result<Response<proto::ListApprovalsResponse>, Status> {
        Caller::from_request(&request).require_staff(&[StaffRole::Finance])?;
        let request = request.into_inner();
        let state = State::optional(request.state, "state")?;
        let owner = state.map_or("", State::as_str);
        let list = List::new(request.page, "wallet.approvals", &owner)?;
        let rows = approval::list(&self.0, state, list.before()?, list.fetch()).await?;
        let (rows, next_cursor) = list.cut(rows, |last| last.id);
        Ok(Response::new(proto::ListApprovalsResponse {
            items: rows.into_iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn decide_approval(
        &self,
        request: Request<proto::DecideApprovalRequest>,
    ) -> Result<Response<proto::DecideApprovalResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Finance])?;
        let decision = map::decision(staff, &request.into_inner())?;
        let decided = approval::decide(&self.0, &caller, decision).await?;
        Ok(Response::new(proto::DecideApprovalResponse {
            approval: Some(decided.into()),
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
        let once = Once::new::<proto::ResetPayPasswordResponse>(&caller, staff.id, &request);
        let reason = cut_reason(&request.reason);
        let reset = pay_password::reset(&self.0, &caller, once, user_id, reason).await?;
        Ok(Response::new(reset.into_message()?))
    }

    async fn admin_unfreeze_wallet(
        &self,
        request: Request<proto::AdminUnfreezeWalletRequest>,
    ) -> Result<Response<proto::AdminUnfreezeWalletResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Finance])?;
        let request = request.into_inner();
        let user_id = wire::id(&request.user_id, "user_id")?;
        let reason = wire::line(&request.reason, LONGEST_REASON, "reason")?;
        let by = (&caller, staff);
        let freeze = freeze::agree_as_staff(&self.0, by, user_id, reason).await?;
        Ok(Response::new(proto::AdminUnfreezeWalletResponse {
            freeze: Some(freeze.into()),
        }))
    }

    async fn list_freezes(
        &self,
        request: Request<proto::ListFreezesRequest>,
    ) -> Result<Response<proto::ListFreezesResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let list = List::new(request.into_inner().page, "wallet.freezes", &"")?;
        let rows = freeze::list_open(&self.0, list.before()?, list.fetch()).await?;
        let (rows, next_cursor) = list.cut(rows, |last| last.id);
        Ok(Response::new(proto::ListFreezesResponse {
            items: rows.into_iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn get_user_settings(
        &self,
        request: Request<proto::GetUserSettingsRequest>,
    ) -> Result<Response<proto::GetUserSettingsResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let ids = request.into_inner().user_ids;
        let ids: Result<Vec<_>, _> = ids.iter().map(|id| wire::id(id, "user_ids")).collect();
        let settings = property::settings(&self.0, &ids?).await?;
        let items = settings.into_iter().map(|found| proto::UserSettings {
            user_id: found.user_id.to_string(),
            has_pay_password: found.has_pay_password,
            has_bank_card: found.has_bank_card,
            guarantee_minor: found.guarantee,
        });
        Ok(Response::new(proto::GetUserSettingsResponse {
            items: items.collect(),
        }))
    }

    async fn get_user_property(
        &self,
        request: Request<proto::GetUserPropertyRequest>,
    ) -> Result<Response<proto::GetUserPropertyResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let user_id = wire::id(&request.into_inner().user_id, "user_id")?;
        let property = property::of_user(&self.0, user_id).await?;
        Ok(Response::new(proto::GetUserPropertyResponse {
            property: Some(super::property(&self.0, property)),
        }))
    }

    async fn list_user_flow(
        &self,
        request: Request<proto::ListUserFlowRequest>,
    ) -> Result<Response<proto::ListUserFlowResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(StaffRole::ALL)?;
        let request = request.into_inner();
        let user_id = wire::id(&request.user_id, "user_id")?;
        let query = proto::ListFlowRequest {
            id: String::new(),
            ..request.query.unwrap_or_default()
        };
        let page = user::flow_page(&self.0, &caller, user_id, query).await?;
        Ok(Response::new(proto::ListUserFlowResponse {
            page: Some(page),
        }))
    }

    async fn get_user_statement(
        &self,
        request: Request<proto::GetUserStatementRequest>,
    ) -> Result<Response<BoxStream<proto::GetUserStatementResponse>>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[StaffRole::Finance])?;
        let request = request.into_inner();
        let user_id = wire::id(&request.user_id, "user_id")?;
        let pieces = user::statement_pieces(&self.0, &caller, user_id, &request.month).await?;
        let pieces = pieces.map(|piece| {
            Ok(proto::GetUserStatementResponse {
                piece: Some(piece?),
            })
        });
        Ok(Response::new(Box::pin(pieces)))
    }

    async fn get_user_destinations(
        &self,
        request: Request<proto::GetUserDestinationsRequest>,
    ) -> Result<Response<proto::GetUserDestinationsResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let user_id = wire::id(&request.into_inner().user_id, "user_id")?;
        let destinations = user::destinations(&self.0, user_id).await?;
        Ok(Response::new(proto::GetUserDestinationsResponse {
            destinations: Some(destinations),
        }))
    }

    async fn reconcile(
        &self,
        request: Request<proto::ReconcileRequest>,
    ) -> Result<Response<proto::ReconcileResponse>, Status> {
        Caller::from_request(&request).require_staff(&[StaffRole::Finance])?;
        let checks = reconcile::reconcile(&self.0).await?;
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
        let verification = chain::verify(&self.0, only).await?;
        let published = match only {
            Some(user_id) => checkpoint::compare_user(&self.0, user_id).await?,
            None => checkpoint::compare_all(&self.0).await?,
        };
        let differing = published.differing.into_iter();
        let differing = differing.map(|(user_id, seq)| Break {
            user_id,
            seq,
            detail: "published hash is another",
        });
        let broken = verification.broken.into_iter().chain(differing);
        let broken = broken.map(|found| proto::BrokenChain {
            user_id: found.user_id.to_string(),
            sequence: found.seq,
            detail: found.detail.to_owned(),
        });
        Ok(Response::new(proto::VerifyChainsResponse {
            users: i64::try_from(verification.users).unwrap_or(i64::MAX),
            transactions: i64::try_from(verification.transactions).unwrap_or(i64::MAX),
            broken: broken.collect(),
            published_heads: i64::try_from(published.heads).unwrap_or(i64::MAX),
            log_fault: published.fault.unwrap_or_default().to_owned(),
        }))
    }

    async fn get_waiting(
        &self,
        request: Request<proto::GetWaitingRequest>,
    ) -> Result<Response<proto::GetWaitingResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let desk = waiting::of_staff(&self.0).await?;
        let (checkpoint_at, checkpoint_size) = desk.checkpoint.unzip();
        Ok(Response::new(proto::GetWaitingResponse {
            items: desk.waiting.into_iter().map(Into::into).collect(),
            checkpoint_at: checkpoint_at.map(wire::timestamp),
            checkpoint_size: i64::try_from(checkpoint_size.unwrap_or_default()).unwrap_or(i64::MAX),
            proved_at: desk.proof.map(|(at, _)| wire::timestamp(at)),
            is_balanced: desk.proof.is_some_and(|(_, is_balanced)| is_balanced),
        }))
    }
}
