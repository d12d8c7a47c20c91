//! A running notification service, the people who use it, and what other services tell it.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

use adfolio_kit::client::Channel;
use adfolio_kit::db::Schema;
use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::Refusal;
use adfolio_notification::Config;
use adfolio_proto::common::v1::PageRequest;
use adfolio_proto::events::v1 as events;
use adfolio_proto::notification::v1 as pb;
use adfolio_proto::notification::v1::create_notification_request::To;
use adfolio_proto::notification::v1::mark_read_request::Target;
use adfolio_proto::notification::v1::notification_admin_service_client::NotificationAdminServiceClient;
use adfolio_proto::notification::v1::notification_service_client::NotificationServiceClient;
use adfolio_testkit::{
    Builder, Environment, Run, TestService, Tested, eventually, instant, publish_event_with_id,
};
use serde_json::Value;
use uuid::Uuid;

pub use adfolio_testkit::NOW;
pub use adfolio_testkit::callers::{call, in_lang, refused, staff, user, user_id, why, with_key};

/// What the inbox's queue is bound to.
const BINDINGS: [&str; 5] = [
    "adfolio.auth.v1.*",
    "adfolio.wallet.v1.*",
    "adfolio.plan.v1.*",
    "adfolio.coupon.v1.*",
    "adfolio.acceptor.v1.*",
];

pub const DEPOSIT_CREDITED: &str = "adfolio.wallet.v1.DepositCredited";
pub const PLAN_STATUS_CHANGED: &str = "adfolio.plan.v1.PlanStatusChanged";
pub const USER_REGISTERED: &str = "adfolio.auth.v1.UserRegistered";
pub const INBOX_CHANGED: &str = "adfolio.notification.v1.InboxChanged";
pub const ANNOUNCEMENT_PUBLISHED: &str = "adfolio.notification.v1.AnnouncementPublished";
pub const STAFF_ACTED: &str = "adfolio.notification.v1.StaffActed";

/// The service with its own database, broker namespace and clock.
pub struct Notification(TestService<Config>);

impl Tested for Notification {
    type Config = Config;
    type Peers = ();
    const SCHEMA: &'static Schema = &adfolio_notification::SCHEMA;
    const RUN: Run<Config> = adfolio_notification::run;

    async fn set_up(environment: &Environment) -> (Config, ()) {
        environment
            .broker
            .declare_queue("notification", "inbox", &BINDINGS)
            .await;
        let config = Config {
            clock: environment.clock.clone(),
            ..environment.config(&["--auth-url", &environment.directory.url])
        };
        (config, ())
    }

    fn assemble(service: TestService<Config>, (): ()) -> Self {
        Self(service)
    }
}

impl Deref for Notification {
    type Target = TestService<Config>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Notification {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl Notification {
    pub fn builder() -> Builder<Self> {
        Builder::default()
    }

    pub async fn spawn() -> Self {
        Self::builder().spawn().await
    }

    pub fn users(&self) -> NotificationServiceClient<Channel> {
        NotificationServiceClient::new(self.channel())
    }

    pub fn staff(&self) -> NotificationAdminServiceClient<Channel> {
        NotificationAdminServiceClient::new(self.channel())
    }

    /// Tells the service of an event with this id.
    pub async fn tell(&self, id: Uuid, told: &Told) {
        let broker = self.broker.broker();
        match told {
            Told::Deposit(data) => {
                publish_event_with_id(&broker, id, DEPOSIT_CREDITED, &data.user_id, data).await;
            }
            Told::Plan(data) => {
                publish_event_with_id(&broker, id, PLAN_STATUS_CHANGED, &data.user_id, data).await;
            }
        }
    }

    /// Tells of `count` deposits of 1.00, 2.00 … at times that follow each other, and waits for the notices.
    pub async fn deposits(&self, caller: &Caller, count: i64) {
        let before = self.unread(caller).await;
        for number in 1..=count {
            self.tell(Uuid::now_v7(), &deposit(caller, number * 100))
                .await;
        }
        eventually("the notices are there", || async {
            self.unread(caller).await == before + count
        })
        .await;
    }

    pub async fn unread(&self, caller: &Caller) -> i64 {
        let answer = self
            .users()
            .count_unread(call(caller, pb::CountUnreadRequest {}))
            .await;
        answer.expect("a count").into_inner().unread_total
    }

    /// How many are unread, and the number that orders such counts.
    pub async fn unread_count(&self, caller: &Caller) -> (i64, i64) {
        let request = call(caller, pb::CountUnreadRequest {});
        let answer = self.users().count_unread(request).await.expect("a count");
        let count = answer.into_inner();
        (count.unread_total, count.sequence)
    }

    pub async fn list(&self, caller: &Caller) -> pb::ListNotificationsResponse {
        self.list_page(
            caller,
            pb::Category::Unspecified,
            pb::ReadFilter::Unspecified,
            "",
            100,
        )
        .await
        .expect("a list")
    }

    pub async fn list_page(
        &self,
        caller: &Caller,
        category: pb::Category,
        filter: pb::ReadFilter,
        cursor: &str,
        limit: u32,
    ) -> Result<pb::ListNotificationsResponse, Refusal> {
        let page = Some(PageRequest {
            cursor: cursor.to_owned(),
            limit,
        });
        let request = pb::ListNotificationsRequest {
            category: category.into(),
            filter: filter.into(),
            page,
        };
        Ok(self
            .users()
            .list_notifications(call(caller, request))
            .await
            .map_err(refused)?
            .into_inner())
    }

    pub async fn mark_one(&self, caller: &Caller, id: &str) -> Result<i64, Refusal> {
        self.mark(
            caller,
            Some(Target::NotificationId(id.to_owned())),
            pb::Category::Unspecified,
        )
        .await
    }

    pub async fn mark_all(&self, caller: &Caller, category: pb::Category) -> Result<i64, Refusal> {
        self.mark(caller, Some(Target::All(true)), category).await
    }

    pub async fn mark(
        &self,
        caller: &Caller,
        target: Option<Target>,
        category: pb::Category,
    ) -> Result<i64, Refusal> {
        let request = pb::MarkReadRequest {
            target,
            category: category.into(),
        };
        Ok(self
            .users()
            .mark_read(call(caller, request))
            .await
            .map_err(refused)?
            .into_inner()
            .unread_total)
    }

    pub async fn set_content(
        &self,
        caller: &Caller,
        content: pb::Content,
    ) -> Result<pb::Content, Refusal> {
        self.set_parts(caller, content, &[]).await
    }

    /// Replaces the named parts; none named means all.
    pub async fn set_parts(
        &self,
        caller: &Caller,
        content: pb::Content,
        parts: &[&str],
    ) -> Result<pb::Content, Refusal> {
        let request = pb::SetContentRequest {
            content: Some(content),
            parts: parts.iter().map(|part| (*part).to_owned()).collect(),
            version: 0,
        };
        let answer = self
            .staff()
            .set_content(call(caller, request))
            .await
            .map_err(refused)?;
        Ok(answer.into_inner().content.expect("the content"))
    }

    /// Publishes in English.
    pub async fn publish(
        &self,
        caller: &Caller,
        category: pb::Category,
        to: To,
        title: &str,
    ) -> Result<pb::CreateNotificationResponse, Refusal> {
        self.create(caller, notification(category, to, title)).await
    }

    pub async fn create(
        &self,
        caller: &Caller,
        request: pb::CreateNotificationRequest,
    ) -> Result<pb::CreateNotificationResponse, Refusal> {
        let answer = self
            .staff()
            .create_notification(call(caller, request))
            .await;
        Ok(answer.map_err(refused)?.into_inner())
    }

    /// An announcement to all, of which only the title matters.
    pub async fn announce(&self, category: pb::Category, title: &str) -> String {
        let support = staff(StaffRole::Support);
        let answer = self.publish(&support, category, To::All(true), title).await;
        answer.expect("an announcement").id
    }

    pub async fn titles(
        &self,
        caller: &Caller,
        category: pb::Category,
        filter: pb::ReadFilter,
    ) -> Vec<String> {
        let page = self.list_page(caller, category, filter, "", 100).await;
        let items = page.expect("a page").items;
        items.into_iter().map(|item| item.title).collect()
    }

    pub async fn count(&self, sql: &'static str) -> i64 {
        sqlx::query_scalar(sql)
            .fetch_one(&self.db.pool())
            .await
            .expect("a count")
    }
}

pub fn notification(category: pb::Category, to: To, title: &str) -> pb::CreateNotificationRequest {
    pb::CreateNotificationRequest {
        category: category.into(),
        to: Some(to),
        title: texts(&[("en", title)]),
        content: texts(&[("en", "More about it.")]),
        publish_at: None,
    }
}

pub fn to_users(users: &[&Caller]) -> To {
    To::Users(pb::UserIds {
        user_ids: users.iter().map(|caller| user_id(caller)).collect(),
    })
}

pub fn texts(texts: &[(&str, &str)]) -> HashMap<String, String> {
    texts
        .iter()
        .map(|(code, text)| ((*code).to_owned(), (*text).to_owned()))
        .collect()
}

/// An audit event.
#[derive(Debug)]
pub struct Acted {
    pub action: String,
    pub target: String,
    pub user: String,
    pub before: Value,
    pub after: Value,
}

impl Acted {
    pub fn of(data: &Value) -> Self {
        let text = |name: &str| data[name].as_str().unwrap_or_default().to_owned();
        let json = |name: &str| serde_json::from_str(&text(name)).unwrap_or(Value::Null);
        Self {
            action: text("action"),
            target: text("target"),
            user: text("userId"),
            before: json("beforeJson"),
            after: json("afterJson"),
        }
    }
}

/// What another service tells.
#[derive(Clone, Debug)]
pub enum Told {
    Deposit(events::DepositCredited),
    Plan(events::PlanStatusChanged),
}

/// A deposit; the larger, the later.
pub fn deposit(caller: &Caller, amount_minor: i64) -> Told {
    let time = instant("2026-11-20T08:00:00Z") + Duration::from_millis(amount_minor.unsigned_abs());
    Told::Deposit(events::DepositCredited {
        transaction_id: Uuid::now_v7().to_string(),
        user_id: user_id(caller),
        amount_minor,
        time: Some(time.into()),
    })
}

pub fn plan(caller: &Caller, plan: Uuid, to: &str) -> Told {
    Told::Plan(events::PlanStatusChanged {
        plan_id: plan.to_string(),
        plan_number: "P-1001".to_owned(),
        user_id: user_id(caller),
        to: to.to_owned(),
        product_name: "Star Miner".to_owned(),
        put_amount_minor: 500_000,
        consumed_minor: 499_950,
        revenue_minor: 612_345,
        paid_out_minor: 612_345,
        ..events::PlanStatusChanged::default()
    })
}
