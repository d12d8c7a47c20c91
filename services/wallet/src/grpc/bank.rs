//! Bank files and the platform's accounts, for finance.

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire::{self, List, timestamp};
use adfolio_proto::wallet::v1 as proto;
use adfolio_proto::wallet::v1::bank_admin_service_server::BankAdminService;
use tonic::{Request, Response, Status};

use super::{StaffApi, map};
use crate::bank::entity::{Format, LineState};
use crate::bank::{Outcome, Upload};
use crate::ids::{BankStatementId, PaymentBatchId};
use crate::payment_batch::entity::{Decision, FileFormat, ShownState};
use crate::platform::PlatformAccount;
use crate::{bank, payment_batch, platform};

/// Who may do all of this.
const FINANCE: &[StaffRole] = &[StaffRole::Finance];

#[tonic::async_trait]
impl BankAdminService for StaffApi {
    async fn upload_bank_statement(
        &self,
        request: Request<proto::UploadBankStatementRequest>,
    ) -> Result<Response<proto::UploadBankStatementResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(FINANCE)?;
        let request = request.into_inner();
        let upload = Upload {
            format: Format::required(request.format, "format")?,
            name: request.name,
            content: request.content,
            mapping: request.mapping_json,
        };
        let (outcome, columns) = bank::keep(&self.0, &caller, staff, upload).await?;
        let answer = match outcome {
            Outcome::Faulty(faults) => proto::UploadBankStatementResponse {
                faults: faults.into_iter().map(Into::into).collect(),
                columns,
                ..Default::default()
            },
            Outcome::Kept {
                statement,
                is_repeat,
            } => proto::UploadBankStatementResponse {
                statement: Some(statement.into()),
                repeated: is_repeat,
                columns,
                faults: Vec::new(),
            },
        };
        Ok(Response::new(answer))
    }

    async fn list_bank_statements(
        &self,
        request: Request<proto::ListBankStatementsRequest>,
    ) -> Result<Response<proto::ListBankStatementsResponse>, Status> {
        Caller::from_request(&request).require_staff(FINANCE)?;
        let request = request.into_inner();
        if let Some(id) = wire::filter_id(&request.id) {
            let found = bank::find_statement(&self.0, BankStatementId(id)).await?;
            return Ok(Response::new(proto::ListBankStatementsResponse {
                items: found.into_iter().map(Into::into).collect(),
                next_cursor: String::new(),
            }));
        }
        let list = List::new(request.page, "wallet.bank_statements", &"")?;
        let rows = bank::list(&self.0, list.before()?, list.fetch()).await?;
        let (rows, next_cursor) = list.cut(rows, |last| last.id);
        Ok(Response::new(proto::ListBankStatementsResponse {
            items: rows.into_iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn list_bank_lines(
        &self,
        request: Request<proto::ListBankLinesRequest>,
    ) -> Result<Response<proto::ListBankLinesResponse>, Status> {
        Caller::from_request(&request).require_staff(FINANCE)?;
        let request = request.into_inner();
        let statement: BankStatementId = wire::id(&request.statement_id, "statement_id")?;
        let state = LineState::optional(request.state, "state")?;
        let owner = format!("{statement}:{}", state.map_or("", LineState::as_str));
        let list = List::new(request.page, "wallet.bank_lines", &owner)?;
        let after = map::line_position(&list)?;
        let rows = bank::list_lines(&self.0, statement, state, after, list.fetch()).await?;
        let (rows, next_cursor) = list.cut(rows, |last| last.place);
        Ok(Response::new(proto::ListBankLinesResponse {
            items: rows.into_iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn credit_bank_line(
        &self,
        request: Request<proto::CreditBankLineRequest>,
    ) -> Result<Response<proto::CreditBankLineResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(FINANCE)?;
        let request = request.into_inner();
        let id = wire::id(&request.line_id, "id")?;
        let named = wire::optional_id(&request.user_id, "user_id")?;
        let line = bank::credit(&self.0, &caller, staff, id, named).await?;
        Ok(Response::new(proto::CreditBankLineResponse {
            line: Some(line.into()),
        }))
    }

    async fn set_bank_line_aside(
        &self,
        request: Request<proto::SetBankLineAsideRequest>,
    ) -> Result<Response<proto::SetBankLineAsideResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(FINANCE)?;
        let request = request.into_inner();
        let which = (wire::id(&request.line_id, "id")?, request.aside);
        let line = bank::set_aside(&self.0, &caller, staff, which, &request.reason).await?;
        Ok(Response::new(proto::SetBankLineAsideResponse {
            line: Some(line.into()),
        }))
    }

    async fn propose_payment_batch(
        &self,
        request: Request<proto::ProposePaymentBatchRequest>,
    ) -> Result<Response<proto::ProposePaymentBatchResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(FINANCE)?;
        let request = request.into_inner();
        let ids = request.withdrawal_ids.iter();
        let ids: Result<Vec<_>, _> = ids.map(|id| wire::id(id, "withdrawal_ids")).collect();
        let batch = payment_batch::propose(&self.0, &caller, staff, ids?, &request.reason).await?;
        Ok(Response::new(proto::ProposePaymentBatchResponse {
            batch: Some(batch.into()),
        }))
    }

    async fn decide_payment_batch(
        &self,
        request: Request<proto::DecidePaymentBatchRequest>,
    ) -> Result<Response<proto::DecidePaymentBatchResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(FINANCE)?;
        let request = request.into_inner();
        let id = wire::id(&request.batch_id, "id")?;
        let decision = Decision::required(request.decision, "decision")?;
        let decided = (id, decision);
        let batch =
            payment_batch::decide(&self.0, &caller, staff, decided, &request.reason).await?;
        Ok(Response::new(proto::DecidePaymentBatchResponse {
            batch: Some(batch.into()),
        }))
    }

    async fn list_payment_batches(
        &self,
        request: Request<proto::ListPaymentBatchesRequest>,
    ) -> Result<Response<proto::ListPaymentBatchesResponse>, Status> {
        Caller::from_request(&request).require_staff(FINANCE)?;
        let request = request.into_inner();
        let state = ShownState::optional(request.state, "state")?;
        if let Some(id) = wire::filter_id(&request.id) {
            if state.is_some() {
                return Err(Refusal::invalid("id").into());
            }
            let found = payment_batch::find_batch(&self.0, PaymentBatchId(id)).await?;
            return Ok(Response::new(proto::ListPaymentBatchesResponse {
                items: found.into_iter().map(Into::into).collect(),
                next_cursor: String::new(),
            }));
        }
        let owner = state.map_or("", ShownState::as_str);
        let list = List::new(request.page, "wallet.payment_batches", &owner)?;
        let rows = payment_batch::list(&self.0, state, list.before()?, list.fetch()).await?;
        let (rows, next_cursor) = list.cut(rows, |last| last.id);
        Ok(Response::new(proto::ListPaymentBatchesResponse {
            items: rows.into_iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn get_payment_file(
        &self,
        request: Request<proto::GetPaymentFileRequest>,
    ) -> Result<Response<proto::GetPaymentFileResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(FINANCE)?;
        let request = request.into_inner();
        let id = wire::id(&request.batch_id, "id")?;
        let format = FileFormat::required(request.format, "format")?;
        let content = payment_batch::file(&self.0, &caller, (id, format)).await?;
        Ok(Response::new(proto::GetPaymentFileResponse {
            content: content.to_vec(),
        }))
    }

    async fn pay_payment_batch(
        &self,
        request: Request<proto::PayPaymentBatchRequest>,
    ) -> Result<Response<proto::PayPaymentBatchResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(FINANCE)?;
        let request = request.into_inner();
        let id = wire::id(&request.batch_id, "id")?;
        let batch = payment_batch::pay(&self.0, &caller, staff, id, &request.reason).await?;
        Ok(Response::new(proto::PayPaymentBatchResponse {
            batch: Some(batch.into()),
        }))
    }

    async fn take_out_of_payment_batch(
        &self,
        request: Request<proto::TakeOutOfPaymentBatchRequest>,
    ) -> Result<Response<proto::TakeOutOfPaymentBatchResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(FINANCE)?;
        let request = request.into_inner();
        let id = wire::id(&request.withdrawal_id, "id")?;
        let shown = payment_batch::take_out(&self.0, &caller, staff, id, &request.reason).await?;
        Ok(Response::new(proto::TakeOutOfPaymentBatchResponse {
            withdrawal: Some(shown.into()),
        }))
    }

    async fn list_platform_accounts(
        &self,
        request: Request<proto::ListPlatformAccountsRequest>,
    ) -> Result<Response<proto::ListPlatformAccountsResponse>, Status> {
        Caller::from_request(&request).require_staff(FINANCE)?;
        let (as_of, balances) = platform::balances(&self.0).await?.unzip();
        let items = balances.unwrap_or_default().into_iter();
        let items = items.map(|(account, balance_minor)| proto::PlatformBalance {
            account: account.to_wire(),
            balance_minor,
        });
        Ok(Response::new(proto::ListPlatformAccountsResponse {
            items: items.collect(),
            as_of: as_of.map(timestamp),
        }))
    }

    async fn list_platform_entries(
        &self,
        request: Request<proto::ListPlatformEntriesRequest>,
    ) -> Result<Response<proto::ListPlatformEntriesResponse>, Status> {
        Caller::from_request(&request).require_staff(FINANCE)?;
        let request = request.into_inner();
        let account = PlatformAccount::required(request.account, "account")?;
        let list = List::new(request.page, "wallet.platform", &account.as_str())?;
        let rows = platform::entries(&self.0, account, list.before()?, list.fetch()).await?;
        let (rows, next_cursor) = list.cut(rows, |last| last.transaction_id);
        Ok(Response::new(proto::ListPlatformEntriesResponse {
            items: rows.into_iter().map(Into::into).collect(),
            next_cursor,
        }))
    }
}
