//! Addresses of the API.

/// Where the API is served.
pub const BASE_PATH: &str = "/api";

/// Where an uploaded file is served.
pub fn file_url(file_id: &str) -> String {
    format!("{BASE_PATH}/files/{file_id}")
}
