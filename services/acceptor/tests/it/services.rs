//! A stand-in for wallet that can be down, lose its answers or refuse.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_money::Money;
use adfolio_proto::wallet::v1::ledger_service_server::{LedgerService, LedgerServiceServer};
use adfolio_proto::wallet::v1::{
    CheckFreezeRequest, CheckFreezeResponse, ExchangeStep, PostExchangeRequest,
    PostExchangeResponse, VerifyPayPasswordRequest, VerifyPayPasswordResponse,
};
use adfolio_testkit::callers::user_id;
use adfolio_testkit::free_listener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};

/// MD5 of every user's transaction password.
pub const RIGHT: &str = "0123456789abcdef0123456789abcdef";

/// How wallet behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mood {
    /// As it should.
    #[default]
    Up,
    /// Does nothing and is unavailable.
    Down,
    /// Does what it is asked, but its answer is lost.
    Mute,
    /// Refuses every debit.
    Poor,
    /// No user has a transaction password.
    NoPassword,
    /// Has locked every transaction password.
    Locked,
    /// Every user has frozen the wallet.
    Frozen,
}

#[derive(Debug, Default)]
struct Books {
    mood: Mood,
    balances: HashMap<String, i64>,
    postings: HashMap<(String, ExchangeStep), i64>,
    closed: HashSet<String>,
    /// Users and attempts to take an order's money once more.
    late: HashSet<(String, String)>,
    checks: usize,
}

/// Stands in for wallet.
#[derive(Clone, Debug, Default)]
pub struct Wallet(Arc<Mutex<Books>>);

impl Wallet {
    pub fn be(&self, mood: Mood) {
        self.books().mood = mood;
    }

    pub fn deposit(&self, caller: &Caller, minor: i64) {
        *self.books().balances.entry(user_id(caller)).or_default() += minor;
    }

    pub fn balance(&self, caller: &Caller) -> i64 {
        self.books()
            .balances
            .get(&user_id(caller))
            .copied()
            .unwrap_or(0)
    }

    /// Whether this step of the order was posted.
    pub fn has(&self, exchange_id: &str, step: ExchangeStep) -> bool {
        self.books()
            .postings
            .contains_key(&(exchange_id.to_owned(), step))
    }

    /// How often an order's money was taken once more and not given back.
    pub fn late_debits(&self, caller: &Caller) -> i64 {
        let books = self.books();
        let late = books
            .late
            .iter()
            .filter(|(user, _)| *user == user_id(caller));
        let of = |id: &str, step| books.postings.contains_key(&(id.to_owned(), step));
        late.map(|(_, attempt)| {
            i64::from(of(attempt, ExchangeStep::Debit))
                - i64::from(of(attempt, ExchangeStep::Return))
        })
        .sum()
    }

    /// Steps posted in all.
    pub fn postings(&self) -> usize {
        self.books().postings.len()
    }

    /// Transaction passwords that were checked.
    pub fn checks(&self) -> usize {
        self.books().checks
    }

    /// Posts a step as an attempt would that was long on its way.
    pub fn post_late(&self, exchange_id: &str, caller: &Caller, minor: i64) -> Result<(), Refusal> {
        let request = PostExchangeRequest {
            exchange_id: exchange_id.to_owned(),
            user_id: user_id(caller),
            step: ExchangeStep::Debit.into(),
            amount_minor: minor,
            attempt_id: String::new(),
        };
        self.books().post(&request)
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Books {
    fn post(&mut self, request: &PostExchangeRequest) -> Result<(), Refusal> {
        // A late step is that of its attempt.
        let (id, step) = match request.step() {
            ExchangeStep::LateDebit => (&request.attempt_id, ExchangeStep::Debit),
            ExchangeStep::LateReturn => (&request.attempt_id, ExchangeStep::Return),
            step => (&request.exchange_id, step),
        };
        if id == &request.attempt_id {
            let late = (request.user_id.clone(), id.clone());
            self.late.insert(late);
        }
        let key = |step| (id.clone(), step);
        if let Some(amount) = self.postings.get(&key(step)) {
            return if *amount == request.amount_minor {
                Ok(())
            } else {
                Err(Refusal::new(Reason::IdempotencyKeyReused))
            };
        }
        if self.closed.contains(id) {
            return match step {
                ExchangeStep::Return => Ok(()),
                _ => Err(Refusal::new(Reason::PlanNotPuttable).field("order_id")),
            };
        }
        let balance = self.balances.entry(request.user_id.clone()).or_default();
        match step {
            ExchangeStep::Debit => {
                if *balance < request.amount_minor {
                    let missing = Money::from_minor(request.amount_minor - *balance);
                    return Err(Refusal::new(Reason::InsufficientBalance).missing(missing));
                }
                *balance -= request.amount_minor;
            }
            ExchangeStep::Return => {
                if !self.postings.contains_key(&key(ExchangeStep::Debit)) {
                    self.closed.insert(id.clone());
                    return Ok(());
                }
                *balance += request.amount_minor;
            }
            ExchangeStep::Credit => *balance += request.amount_minor,
            _ => return Err(Refusal::invalid("step")),
        }
        self.postings.insert(key(step), request.amount_minor);
        Ok(())
    }
}

#[tonic::async_trait]
impl LedgerService for Wallet {
    async fn post_exchange(
        &self,
        request: Request<PostExchangeRequest>,
    ) -> Result<Response<PostExchangeResponse>, Status> {
        let request = request.into_inner();
        let mut books = self.books();
        match books.mood {
            Mood::Down => return Err(Status::unavailable("down")),
            Mood::Poor
                if [ExchangeStep::Debit, ExchangeStep::LateDebit].contains(&request.step()) =>
            {
                return Err(Refusal::new(Reason::InsufficientBalance).into());
            }
            _ => books.post(&request)?,
        }
        if books.mood == Mood::Mute {
            return Err(Status::unavailable("the answer is lost"));
        }
        Ok(Response::new(PostExchangeResponse::default()))
    }

    async fn check_freeze(
        &self,
        _: Request<CheckFreezeRequest>,
    ) -> Result<Response<CheckFreezeResponse>, Status> {
        match self.books().mood {
            Mood::Down => Err(Status::unavailable("down")),
            Mood::Frozen => Err(Refusal::new(Reason::WalletFrozen).into()),
            _ => Ok(Response::new(CheckFreezeResponse {})),
        }
    }

    async fn verify_pay_password(
        &self,
        request: Request<VerifyPayPasswordRequest>,
    ) -> Result<Response<VerifyPayPasswordResponse>, Status> {
        let mut books = self.books();
        books.checks += 1;
        let reason = match books.mood {
            Mood::NoPassword => Reason::PayPasswordNotSet,
            Mood::Locked => Reason::PayPasswordLocked,
            _ if request.into_inner().password != RIGHT => Reason::WrongPayPassword,
            _ => return Ok(Response::new(VerifyPayPasswordResponse {})),
        };
        Err(Refusal::new(reason).into())
    }
}

pub async fn serve_wallet(wallet: &Wallet) -> String {
    let listener = free_listener().await;
    let url = format!("http://{}", listener.local_addr().unwrap());
    let served = tonic::transport::Server::builder()
        .add_service(LedgerServiceServer::new(wallet.clone()))
        .serve_with_incoming(TcpListenerStream::new(listener));
    tokio::spawn(served);
    url
}
