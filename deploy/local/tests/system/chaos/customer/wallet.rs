//! Journeys that move money in and out of the wallet, and that protect it.

use serde_json::json;

use super::{
    super::{
        calls::{Answer, insist},
        history::{Fate, Funds},
    },
    Customer, card, money,
};
use crate::client::{Client, Reply};

/// An open exchange order.
pub struct Order {
    pub id: String,
    amount: i64,
    is_outgoing: bool,
}

/// How an exchange order ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Completed,
    Cancelled,
    CancelledByUser,
    /// It expires.
    Expired,
}

impl Customer {
    /// Staff post to the wallet: `what` is the end of the path, `effect` the change.
    pub async fn staff_post(&mut self, what: &str, effect: i64) {
        let path = format!("/admin/wallet/{what}");
        let mut body = json!({"user_id": self.history.user_id, "amount": money(effect.abs())});
        if what != "membership" {
            body["remark"] = json!(self.name);
        }
        let key = self.key();
        let answer = self.ask_or_abandon(true, &path, &key, &body).await;
        self.remember_posting(
            format!("deposit:{}:key:{key}", self.admin_id),
            answer,
            Funds::available(effect),
        );
    }

    /// A withdrawal; none if its caller went away.
    pub async fn withdraw(&mut self, amount: i64) -> Option<String> {
        let body = json!({"amount": money(amount), "method": "bank_card", "password": self.pin});
        let key = self.key();
        let answer = self
            .ask_or_abandon(false, "/user/withdraw", &key, &body)
            .await;
        let id = match &answer {
            Some(Answer::Done(withdrawal)) => Some(withdrawal["id"].as_str().unwrap().to_owned()),
            _ => None,
        };
        self.remember_posting(
            format!("withdraw:{}:key:{key}", self.history.user_id),
            answer,
            Funds::withdrawing(amount),
        );
        if let Some(id) = &id {
            assert!(
                self.history.withdrawals.insert(id.clone()),
                "two keys were told the same withdrawal"
            );
        }
        id
    }

    /// Staff decide about a withdrawal.
    pub async fn decide_withdrawal(&mut self, id: &str, amount: i64, is_paid: bool) {
        let (decision, effect) = if is_paid {
            let paid = Funds {
                withdrawing: -amount,
                ..Funds::default()
            };
            ("paid", paid)
        } else {
            ("rejected", Funds::withdrawing(-amount))
        };
        let body = json!({"id": id, "decision": decision, "reason": "chaos"});
        let (admin, key) = (self.admin.clone(), self.key());
        let answer = self
            .ask(&admin, "/admin/withdraw/decide", &key, &body)
            .await;
        self.remember_posting(
            format!("deposit:{}:key:{key}", self.admin_id),
            Some(answer),
            effect,
        );
    }

    /// An exchange order of either direction.
    pub async fn exchange(&mut self, is_outgoing: bool, amount: i64) -> Order {
        let Answer::Done(order) = self.ask_exchange(is_outgoing, amount).await else {
            panic!("an exchange order was refused");
        };
        Order {
            id: order["id"].as_str().unwrap().to_owned(),
            amount,
            is_outgoing,
        }
    }

    /// An exchange order that exceeds the balance: refused.
    pub async fn exchange_too_much(&mut self, amount: i64) {
        match self.ask_exchange(true, amount).await {
            Answer::Refused(reason) => assert_eq!(reason, "INSUFFICIENT_BALANCE"),
            Answer::Done(order) => panic!("more was exchanged than there is: {order}"),
        }
    }

    async fn ask_exchange(&mut self, is_outgoing: bool, amount: i64) -> Answer {
        let body = json!({
            "kind": "personal", "code": self.stage.codes[usize::from(!is_outgoing)], "amount": money(amount),
            "password": self.pin,
        });
        let (client, key) = (self.client.clone(), self.key());
        self.ask(&client, "/acceptor/order/create", &key, &body)
            .await
    }

    /// An exchange order ends as given. The caller must have made an expiring one expire.
    pub async fn end_exchange(&mut self, order: Order, ending: Ending) {
        let id = order.id;
        let decide = |decision| json!({"id": id, "decision": decision, "reason": "chaos"});
        let path = "/admin/exchange/decide";
        let (status, ended) = match ending {
            Ending::Completed => {
                let ended = self.staff_until_done(path, &decide("completed")).await;
                ("completed", Some(ended))
            }
            Ending::Cancelled => {
                let ended = self.staff_until_done(path, &decide("cancelled")).await;
                ("cancelled", Some(ended))
            }
            Ending::CancelledByUser => {
                let (client, key, body) = (self.client.clone(), self.key(), json!({"id": id}));
                match self
                    .ask(&client, "/acceptor/order/cancel", &key, &body)
                    .await
                {
                    Answer::Done(ended) => ("cancelled", Some(ended)),
                    Answer::Refused(reason) => panic!("a cancellation was refused: {reason}"),
                }
            }
            Ending::Expired => ("expired", None),
        };
        if let Some(ended) = ended {
            assert_eq!(ended["status"], status, "{ended}");
        }
        self.remember_exchange(Order { id, ..order }, status);
    }

    /// Staff complete an order while its user cancels it. One of them succeeds, or both, if the user was first: the
    /// completion is a late one then, which waits for a second member of staff where four eyes are asked for.
    pub async fn decide_twice(&mut self, order: Order) {
        let complete = json!({"id": order.id, "decision": "completed", "reason": "chaos"});
        let cancel = json!({"id": order.id});
        let (client, admin) = (self.client.clone(), self.admin.clone());
        let keys = [self.key(), self.key()];
        let answers = self
            .ask_both([
                (&admin, "/admin/exchange/decide", &keys[0], &complete),
                (&client, "/acceptor/order/cancel", &keys[1], &cancel),
            ])
            .await;
        let (status, ended) = match answers {
            [Answer::Done(ended), Answer::Refused(_)] => ("completed", ended),
            [Answer::Refused(_), Answer::Done(ended)] => ("cancelled", ended),
            [Answer::Done(late), Answer::Done(_)] if late["completion_request"].is_object() => {
                ("cancelled", late)
            }
            [Answer::Done(late), Answer::Done(_)] => ("completed", late),
            [Answer::Refused(one), Answer::Refused(other)] => {
                panic!("neither staff nor user ended an order: {one} and {other}")
            }
        };
        assert_eq!(ended["status"], status, "{ended}");
        self.remember_exchange(order, status);
    }

    fn remember_exchange(&mut self, order: Order, status: &'static str) {
        let is_new = self.history.exchanges.insert(order.id, status).is_none();
        assert!(is_new, "two keys were told the same exchange order");
        if status == "completed" {
            let sign = if order.is_outgoing { -1 } else { 1 };
            self.history.funds += Funds::available(sign * order.amount);
        }
    }

    /// More than the balance: refused without effect.
    pub async fn be_charged_back_too_much(&mut self) {
        let key = self.key();
        let body =
            json!({"user_id": self.history.user_id, "amount": "900000000.00", "remark": "chaos"});
        let admin = self.admin.clone();
        let answer = self
            .ask(&admin, "/admin/wallet/chargeback", &key, &body)
            .await;
        let Answer::Refused(reason) = answer else {
            panic!("more was charged back than there is");
        };
        assert_eq!(reason, "INSUFFICIENT_BALANCE");
        let ledger_key = format!("deposit:{}:key:{key}", self.admin_id);
        self.history
            .postings
            .insert(ledger_key, (Fate::Refused, Funds::default()));
    }

    /// Replaces the bound bank card.
    pub async fn change_card(&mut self, branch: &str) {
        let (client, key, card) = (self.client.clone(), self.key(), card(&self.pin, branch));
        // The call takes no key: if its answer was lost, the repeat finds nothing to change.
        match self.ask(&client, "/bank_card/edit", &key, &card).await {
            Answer::Done(_) => {}
            Answer::Refused(reason) => assert_eq!(reason, "NOTHING_CHANGED"),
        }
    }

    /// Changes the login password, which ends every session, and logs in again.
    pub async fn change_password(&mut self, anyone: &Client, password: &str) {
        let body = json!({
            "old_password": self.password, "new_password": password, "confirm_password": password,
        });
        let (client, key) = (self.client.clone(), self.key());
        // The call takes no key: if it succeeded and its answer was lost, the repeat has no valid
        // session any more or, where that is not known yet, the wrong password. Then the new one
        // must be right.
        let change = || async {
            let reply = client
                .try_post_keyed("/update/password", &key, &body)
                .await?;
            let was_done = ["SESSION_EXPIRED", "WRONG_PASSWORD"].contains(&reply.reason());
            Ok(if was_done {
                Reply { code: 200, ..reply }
            } else {
                reply
            })
        };
        let (changed, _) = insist("/update/password", change).await;
        if let Answer::Refused(reason) = changed {
            panic!("a new password was refused: {reason}");
        }
        let login = json!({"username": self.name, "password": password});
        let session = self.ask(anyone, "/auth/v2/login", &key, &login).await;
        let Answer::Done(session) = session else {
            panic!("the new password does not open the account");
        };
        self.client = anyone.with_token(session["token"].as_str().unwrap());
        self.history.client = self.client.clone();
        password.clone_into(&mut self.password);
    }

    fn remember_posting(&mut self, key: String, answer: Option<Answer>, effect: Funds) {
        let fate = match answer {
            Some(Answer::Done(_)) => {
                self.history.funds += effect;
                Fate::Done(())
            }
            Some(Answer::Refused(reason)) => panic!("{key} was refused: {reason}"),
            None => Fate::Unknown,
        };
        self.history.postings.insert(key, (fate, effect));
    }
}
