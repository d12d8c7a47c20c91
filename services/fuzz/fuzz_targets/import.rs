#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| adfolio_fuzz::import::check(data));
