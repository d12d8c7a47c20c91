//! Behaviour of the wallet service, through its gRPC client, against real PostgreSQL and RabbitMQ.

mod helpers;
mod posting;
