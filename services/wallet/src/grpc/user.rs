//! What users read of their wallet, and what they do with it.

use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::wire::{self, List};
use adfolio_money::Money;
use adfolio_proto::wallet::v1 as proto;
use adfolio_proto::wallet::v1::wallet_service_server::WalletService;
use futures::{Stream, StreamExt as _};
use tonic::codegen::BoxStream;
use tonic::{Request, Response, Status};

use super::{UserApi, map};
use crate::app::App;
use crate::destination::entity::Method;
use crate::flow::entity::{Account, FlowType};
use crate::freeze::entity::LONGEST_REASON;
use crate::pay_password::entity::PinDigest;
use crate::posting::amount::amount_between;
use crate::{checkpoint, destination, flow, freeze, pay_password, property, statement, withdrawal};

#[tonic::async_trait]
impl WalletService for UserApi {
    async fn get_property(
        &self,
        request: Request<proto::GetPropertyRequest>,
    ) -> Result<Response<proto::GetPropertyResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let property = property::of_user(&self.0, user).await?;
        Ok(Response::new(proto::GetPropertyResponse {
            property: Some(super::property(&self.0, property)),
        }))
    }

    async fn list_flow(
        &self,
        request: Request<proto::ListFlowRequest>,
    ) -> Result<Response<proto::ListFlowResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let page = flow_page(&self.0, &caller, user, request.into_inner()).await?;
        Ok(Response::new(page))
    }

    async fn get_monthly(
        &self,
        request: Request<proto::GetMonthlyRequest>,
    ) -> Result<Response<proto::GetMonthlyResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let months = request.into_inner().months;
        let months = flow::monthly(&self.0, &caller, user, months).await?;
        Ok(Response::new(proto::GetMonthlyResponse {
            items: months.summaries.into_iter().map(Into::into).collect(),
            first_month: months.first.map_or_else(String::new, |month| month.name()),
        }))
    }

    async fn get_statement(
        &self,
        request: Request<proto::GetStatementRequest>,
    ) -> Result<Response<BoxStream<proto::GetStatementResponse>>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let month = request.into_inner().month;
        let pieces = statement_pieces(&self.0, &caller, user, &month).await?;
        Ok(Response::new(Box::pin(pieces)))
    }

    async fn get_checkpoint(
        &self,
        _: Request<proto::GetCheckpointRequest>,
    ) -> Result<Response<proto::GetCheckpointResponse>, Status> {
        let newest = checkpoint::newest(&self.0).await?;
        let signer = self.0.signer.as_ref();
        Ok(Response::new(proto::GetCheckpointResponse {
            note: newest.map(|newest| newest.note).unwrap_or_default(),
            verifier_key: signer
                .map(|signer| signer.verifier().to_string())
                .unwrap_or_default(),
        }))
    }

    async fn list_checkpoints(
        &self,
        request: Request<proto::ListCheckpointsRequest>,
    ) -> Result<Response<proto::ListCheckpointsResponse>, Status> {
        let list = List::new(request.into_inner().page, "wallet.checkpoints", &"")?;
        let before = map::checkpoint_position(&list)?;
        let rows = checkpoint::list(&self.0, before, list.fetch()).await?;
        let (rows, next_cursor) = list.cut(rows, |last| last.number);
        Ok(Response::new(proto::ListCheckpointsResponse {
            items: rows.into_iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn get_checkpoint_consistency(
        &self,
        request: Request<proto::GetCheckpointConsistencyRequest>,
    ) -> Result<Response<proto::GetCheckpointConsistencyResponse>, Status> {
        let request = request.into_inner();
        let path = checkpoint::consistency(&self.0, request.first, request.second).await?;
        Ok(Response::new(proto::GetCheckpointConsistencyResponse {
            path: path.iter().map(|hash| hash.to_vec()).collect(),
        }))
    }

    async fn get_head_proof(
        &self,
        request: Request<proto::GetHeadProofRequest>,
    ) -> Result<Response<proto::GetHeadProofResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let sequence = request.into_inner().sequence;
        let proof = checkpoint::prove_head(&self.0, user, sequence).await?;
        Ok(Response::new(proof.into()))
    }

    async fn get_withdrawal_methods(
        &self,
        _: Request<proto::GetWithdrawalMethodsRequest>,
    ) -> Result<Response<proto::GetWithdrawalMethodsResponse>, Status> {
        let rules = &self.0.rules;
        Ok(Response::new(proto::GetWithdrawalMethodsResponse {
            items: rules.terms.iter().map(Into::into).collect(),
            cooling_off_hours: rules.outflow.cooling_off.hours().into(),
            day_max_minor: rules.outflow.per_day.minor(),
            destination_max_minor: rules.outflow.per_destination.minor(),
        }))
    }

    async fn withdraw(
        &self,
        request: Request<proto::WithdrawRequest>,
    ) -> Result<Response<proto::WithdrawResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let request = request.into_inner();
        let amount = amount_between(Money::ZERO, request.amount_minor, "amount")?;
        let method = Method::required(request.method, "method")?;
        let password = PinDigest::parse(&request.password, "password")?;
        let shown = withdrawal::request(&self.0, &caller, user, (amount, method), password).await?;
        Ok(Response::new(proto::WithdrawResponse {
            withdrawal: Some(shown.into()),
        }))
    }

    async fn cancel_withdrawal(
        &self,
        request: Request<proto::CancelWithdrawalRequest>,
    ) -> Result<Response<proto::CancelWithdrawalResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let id = wire::id(&request.into_inner().withdrawal_id, "id")?;
        let shown = withdrawal::cancel(&self.0, &caller, user, id).await?;
        Ok(Response::new(proto::CancelWithdrawalResponse {
            withdrawal: Some(shown.into()),
        }))
    }

    async fn return_start_up_funds(
        &self,
        request: Request<proto::ReturnStartUpFundsRequest>,
    ) -> Result<Response<proto::ReturnStartUpFundsResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let amount = request.into_inner().amount_minor;
        let property = property::return_start_up_funds(&self.0, &caller, user, amount).await?;
        Ok(Response::new(proto::ReturnStartUpFundsResponse {
            property: Some(super::property(&self.0, property)),
        }))
    }

    async fn list_withdrawals(
        &self,
        request: Request<proto::ListWithdrawalsRequest>,
    ) -> Result<Response<proto::ListWithdrawalsResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let request = request.into_inner();
        if !request.id.is_empty() {
            let found = withdrawal::find(&self.0, user, &request.id).await?;
            return Ok(Response::new(proto::ListWithdrawalsResponse {
                items: found.into_iter().map(Into::into).collect(),
                next_cursor: String::new(),
            }));
        }
        let list = List::new(request.page, "wallet.withdrawals", &user)?;
        let rows = withdrawal::list(&self.0, user, list.before()?, list.fetch()).await?;
        let (rows, next_cursor) = list.cut(rows, |last| last.withdrawal.id);
        Ok(Response::new(proto::ListWithdrawalsResponse {
            items: rows.into_iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn set_pay_password(
        &self,
        request: Request<proto::SetPayPasswordRequest>,
    ) -> Result<Response<proto::SetPayPasswordResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let request = request.into_inner();
        let new = PinDigest::parse(&request.password, "password")?;
        if new != PinDigest::parse(&request.confirm_password, "confirm_password")? {
            let refusal = Refusal::new(Reason::PasswordMismatch);
            return Err(refusal.field("confirm_password").into());
        }
        let old = optional_password(&request.old_password, "old_password")?;
        pay_password::set(&self.0, &caller, user, new, old).await?;
        Ok(Response::new(proto::SetPayPasswordResponse {}))
    }

    async fn freeze_wallet(
        &self,
        request: Request<proto::FreezeWalletRequest>,
    ) -> Result<Response<proto::FreezeWalletResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let reason = request.into_inner().reason;
        let reason = match reason.trim() {
            "" => String::new(),
            text => wire::line(text, LONGEST_REASON, "reason")?,
        };
        freeze::freeze(&self.0, user, reason).await?;
        let property = property::of_user(&self.0, user).await?;
        Ok(Response::new(proto::FreezeWalletResponse {
            property: Some(super::property(&self.0, property)),
        }))
    }

    async fn unfreeze_wallet(
        &self,
        request: Request<proto::UnfreezeWalletRequest>,
    ) -> Result<Response<proto::UnfreezeWalletResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        freeze::agree(&self.0, &caller, user).await?;
        let property = property::of_user(&self.0, user).await?;
        Ok(Response::new(proto::UnfreezeWalletResponse {
            property: Some(super::property(&self.0, property)),
        }))
    }

    async fn check_pay_password(
        &self,
        request: Request<proto::CheckPayPasswordRequest>,
    ) -> Result<Response<proto::CheckPayPasswordResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let password = PinDigest::parse(&request.into_inner().password, "password")?;
        pay_password::verify(&self.0, user, password, caller.deadline).await?;
        Ok(Response::new(proto::CheckPayPasswordResponse {}))
    }

    async fn get_destinations(
        &self,
        request: Request<proto::GetDestinationsRequest>,
    ) -> Result<Response<proto::GetDestinationsResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        Ok(Response::new(destinations(&self.0, user).await?))
    }

    async fn bind_destination(
        &self,
        request: Request<proto::BindDestinationRequest>,
    ) -> Result<Response<proto::BindDestinationResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let request = request.into_inner();
        let destination = request.destination.unwrap_or_default().try_into()?;
        let password = optional_password(&request.password, "password")?;
        let bound = destination::bind(&self.0, &caller, user, destination, password).await?;
        Ok(Response::new(proto::BindDestinationResponse {
            destination: Some((&bound).into()),
        }))
    }
}

fn optional_password(text: &str, field: &'static str) -> Result<Option<PinDigest>, Refusal> {
    let sent = (!text.is_empty()).then(|| PinDigest::parse(text, field));
    sent.transpose()
}

/// A page of a user's fund details.
pub async fn flow_page(
    app: &App,
    caller: &Caller,
    user: UserId,
    request: proto::ListFlowRequest,
) -> Result<proto::ListFlowResponse, Status> {
    if !request.id.is_empty() {
        let others = proto::ListFlowRequest {
            id: String::new(),
            page: None,
            ..request.clone()
        };
        if others != proto::ListFlowRequest::default() {
            return Err(Refusal::invalid("id").into());
        }
        let found = flow::find(app, user, &request.id).await?;
        return Ok(proto::ListFlowResponse {
            items: found.into_iter().map(Into::into).collect(),
            ..Default::default()
        });
    }
    let list = List::new(request.page, "wallet.flow", &user)?;
    let (from, to) = (
        wire::instant(request.from, "from")?,
        wire::instant(request.to, "until")?,
    );
    let query = flow::Query {
        flow_type: FlowType::optional(request.r#type, "type")?,
        account: Account::optional(request.account, "account")?,
        within: flow::Within::new(caller, &request.month, from, to)?,
        before: map::flow_position(&list)?,
        limit: list.fetch(),
    };
    let lines = flow::list(app, user, &query).await?;
    let totals = if request.with_totals {
        Some(flow::totals(app, user, &query).await?)
    } else {
        None
    };
    let (lines, next_cursor) = list.cut_by(lines, |line| {
        vec![line.seq.to_string(), line.line.to_string()]
    });
    Ok(proto::ListFlowResponse {
        items: lines.into_iter().map(Into::into).collect(),
        next_cursor,
        totals: totals.map(|totals| proto::FlowTotals {
            in_minor: totals.incoming,
            out_minor: totals.outgoing,
        }),
    })
}

/// The pieces of a month of a user's statement.
pub async fn statement_pieces(
    app: &App,
    caller: &Caller,
    user: UserId,
    month: &str,
) -> Result<impl Stream<Item = Result<proto::GetStatementResponse, Status>> + Send + use<>, Status>
{
    let pieces = statement::pieces(app, caller, user, month).await?;
    Ok(pieces.map(move |piece| {
        Ok(proto::GetStatementResponse {
            user_id: user.to_string(),
            rows: piece?.into_iter().map(Into::into).collect(),
        })
    }))
}

/// Where a user's money may go, masked.
pub async fn destinations(
    app: &App,
    user: UserId,
) -> Result<proto::GetDestinationsResponse, Status> {
    let (card, address) = destination::masked(app, user).await?;
    Ok(proto::GetDestinationsResponse {
        bank_card: card.as_ref().map(Into::into),
        wallet_address: address.as_ref().map(Into::into),
    })
}
