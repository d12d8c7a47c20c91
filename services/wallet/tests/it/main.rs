//! Behaviour of the wallet service, through its gRPC client, against real PostgreSQL and RabbitMQ.

mod books;
mod events;
mod faults;
mod flow;
mod helpers;
mod model;
mod posting;
mod reconcile;
