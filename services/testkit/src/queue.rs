//! Queues that exist before the service that consumes them.

use crate::TestBroker;

impl TestBroker {
    /// Declares the queue of a consumer with these bindings. An event published before a service
    /// has bound its queue is lost, so a test that publishes at once declares the queue first.
    pub async fn declare_queue(
        &self,
        service: &'static str,
        consumer: &'static str,
        bindings: &[&str],
    ) {
        self.clean_up(service, consumer);
        let broker = self.broker();
        let mut session = broker.open("test").await.expect("the broker");
        let bindings: Vec<String> = bindings.iter().map(|&binding| binding.to_owned()).collect();
        broker
            .declare_consumer(&mut session, service, consumer, &bindings)
            .await
            .expect("the queue");
        session.close().await;
    }
}
