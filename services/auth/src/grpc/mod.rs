//! gRPC: reads what was sent, calls the use case, writes the answer. No rules, no SQL.

mod admin;
mod directory;
mod map;
mod user;

pub use admin::AdminGrpc;
pub use directory::DirectoryGrpc;
pub use user::UserGrpc;
