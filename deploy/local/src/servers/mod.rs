//! How each component is prepared and started.

pub(crate) mod adfolio;
pub(crate) mod nginx;
pub(crate) mod postgres;
pub(crate) mod rabbitmq;
mod rabbitmq_home;
