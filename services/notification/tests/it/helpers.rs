//! A running notification service, the people who use it, and what other services tell it.

use std::collections::HashMap;
use std::time::Duration;

use adfolio_kit::client::Channel;
use adfolio_kit::clock::Clock;
use adfolio_kit::config::ServiceArgs;
use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::Refusal;
use adfolio_notification::{Config, MIGRATOR};
use adfolio_proto::common::v1::PageRequest;
use adfolio_proto::events::v1 as events;
use adfolio_proto::notification::v1 as pb;
use adfolio_proto::notification::v1::create_notification_request::To;
use adfolio_proto::notification::v1::mark_read_request::Target;
use adfolio_proto::notification::v1::notification_admin_service_client::NotificationAdminServiceClient;
use adfolio_proto::notification::v1::notification_service_client::NotificationServiceClient;
use adfolio_testkit::{
    RunningService, TestBroker, TestDatabase, eventually, fixed_clock, instant,
    publish_event_with_id, spawn_service,
};
use serde_json::Value;
use uuid::Uuid;

pub use adfolio_testkit::callers::{call, in_lang, refused, staff, user, user_id, why, with_key};
use adfolio_testkit::directory::Directory;

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

/// When the service's clock stands at the beginning; everybody whom nothing else is said of came earlier.
pub const NOW: &str = "2026-11-20T10:00:00Z";

/// The service with its own database and broker namespace.
pub struct Notification {
    pub service: RunningService,
    pub broker: TestBroker,
    pub db: TestDatabase,
    pub directory: Directory,
    pub clock: Clock,
}

impl Notification {
    pub async fn spawn() -> Self {
        let db = TestDatabase::create(&[&MIGRATOR]).await;
        let broker = TestBroker::namespace();
        broker
            .declare_queue("notification", "inbox", &BINDINGS)
            .await;
        let directory = Directory::start().await;
        let clock = fixed_clock(NOW);
        let config = Config {
            args: ServiceArgs::new(db.args(), broker.args()),
            auth_url: directory.url.clone(),
            clock: clock.clone(),
        };
        let service = spawn_service(|listener, shutdown| {
            adfolio_notification::run(config, listener, shutdown)
        })
        .await;
        Self {
            service,
            broker,
            db,
            directory,
            clock,
        }
    }

    pub fn users(&self) -> NotificationServiceClient<Channel> {
        NotificationServiceClient::new(self.service.channel())
    }

    pub fn staff(&self) -> NotificationAdminServiceClient<Channel> {
        NotificationAdminServiceClient::new(self.service.channel())
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

/// What an audit event says: action, target, user, before and after.
pub fn act(data: &Value) -> (String, String, String, Value, Value) {
    let text = |name: &str| data[name].as_str().unwrap_or_default().to_owned();
    let json = |name: &str| serde_json::from_str(&text(name)).unwrap_or(Value::Null);
    (
        text("action"),
        text("target"),
        text("userId"),
        json("beforeJson"),
        json("afterJson"),
    )
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
