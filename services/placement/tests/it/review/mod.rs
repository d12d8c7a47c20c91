//! The gate on reports: its rules one by one, honest networks, frauds, and real data.

mod copies;
mod frauds;
mod helpers;
mod honest;
mod impossible;
mod invariants;
mod memory;
mod patterns;
mod power;
mod real_data;
