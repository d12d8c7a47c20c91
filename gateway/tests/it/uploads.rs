//! Pictures that users upload.

use std::io::Cursor;
use std::process::Command;
use std::time::Instant;

use adfolio_gateway::uploads::Uploads;
use adfolio_kit::identity::UserId;
use adfolio_kit::refusal::Reason;
use bytes::Bytes;
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use object_store::memory::InMemory;
use reqwest::multipart::{Form, Part};
use std::sync::Arc;
use uuid::Uuid;

use crate::fakes::{Answer, Front};

const LIMIT: usize = 5 * 1024 * 1024;

/// A picture: red on the left, blue on the right.
fn picture(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let pixels = RgbImage::from_fn(width, height, |x, _| {
        if x < width / 2 {
            Rgb([220, 20, 20])
        } else {
            Rgb([20, 20, 220])
        }
    });
    let mut bytes = Vec::new();
    DynamicImage::ImageRgb8(pixels)
        .write_to(&mut Cursor::new(&mut bytes), format)
        .unwrap();
    bytes
}

/// The JPEG with a note about its camera, which says to turn it clockwise.
fn with_exif(jpeg: &[u8]) -> Vec<u8> {
    let mut exif = b"Exif\0\0MM\0*\0\0\0\x08".to_vec();
    // One entry: orientation (0x0112), a short, once, 6.
    exif.extend_from_slice(&[0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]);
    exif.extend_from_slice(b"secret place");
    let length = u16::try_from(exif.len() + 2).unwrap().to_be_bytes();
    let mut bytes = jpeg[..2].to_vec();
    bytes.extend_from_slice(&[0xff, 0xe1]);
    bytes.extend_from_slice(&length);
    bytes.extend_from_slice(&exif);
    bytes.extend_from_slice(&jpeg[2..]);
    bytes
}

/// A PNG of nothing but the claim to be so large.
fn bomb(side: u32) -> Vec<u8> {
    let mut header = b"IHDR".to_vec();
    header.extend_from_slice(&side.to_be_bytes());
    header.extend_from_slice(&side.to_be_bytes());
    header.extend_from_slice(&[8, 6, 0, 0, 0]);
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    for chunk in [
        header,
        [b"IDAT".as_slice(), &[0x78, 0x9c, 0x63, 0, 0]].concat(),
    ] {
        bytes.extend_from_slice(&u32::try_from(chunk.len() - 4).unwrap().to_be_bytes());
        bytes.extend_from_slice(&chunk);
        bytes.extend_from_slice(&crc(&chunk).to_be_bytes());
    }
    bytes
}

fn crc(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            let lowest = crc & 1;
            crc >>= 1;
            if lowest == 1 {
                crc ^= 0xedb8_8320;
            }
        }
    }
    !crc
}

async fn upload(front: &Front, token: &str, key: Option<&str>, bytes: Vec<u8>) -> Answer {
    let form = Form::new()
        .text("before", "is ignored")
        .part("file", Part::bytes(bytes).file_name("holiday.exe"));
    let mut request = front.post("/files/upload", token).multipart(form);
    if let Some(key) = key {
        request = request.header("Idempotency-Key", key);
    }
    front.send(request).await
}

fn user() -> String {
    Uuid::now_v7().to_string()
}

#[tokio::test]
async fn a_picture_is_turned_upright_and_stripped_and_served_to_everybody() {
    let front = Front::start().await;
    let photo = with_exif(&picture(40, 20, ImageFormat::Jpeg));
    let answer = upload(&front, &user(), None, photo).await;
    let file = answer.data();
    assert_eq!(
        (&file["width"], &file["height"]),
        (&20.into(), &40.into()),
        "{file}"
    );
    let id = file["id"].as_str().unwrap();
    assert_eq!(file["url"], format!("/api/files/{id}"));

    let served = front.send(front.get(&format!("/files/{id}"))).await;
    assert_eq!(
        (served.http, served.header("content-type")),
        (200, "image/jpeg")
    );
    assert_eq!(file["size"], served.body.len());
    let text = String::from_utf8_lossy(&served.body);
    assert!(!text.contains("Exif") && !text.contains("secret place"));
    let stored = image::load_from_memory(&served.body).unwrap().into_rgb8();
    assert_eq!(stored.dimensions(), (20, 40));
    assert!(
        stored.get_pixel(10, 5).0[0] > 150,
        "red was left and is on top"
    );
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("cache-control", "public, max-age=31536000, immutable"),
    ] {
        assert_eq!(served.header(name), value);
    }
    assert!(
        served
            .header("content-security-policy")
            .contains("default-src 'none'")
    );
    let known = front.get(&format!("/files/{id}"));
    let known = known.header("If-None-Match", served.header("etag"));
    let known = front.send(known).await;
    assert_eq!((known.http, known.body.len()), (304, 0));
}

#[tokio::test]
async fn every_format_of_the_contract_is_taken_by_its_content() {
    let front = Front::start().await;
    for (format, kept) in [
        (ImageFormat::Png, "image/png"),
        (ImageFormat::Jpeg, "image/jpeg"),
        (ImageFormat::Gif, "image/png"),
        (ImageFormat::WebP, "image/jpeg"),
    ] {
        let file = upload(&front, &user(), None, picture(8, 8, format))
            .await
            .data();
        let served = front.get(&format!("/files/{}", file["id"].as_str().unwrap()));
        assert_eq!(
            front.send(served).await.header("content-type"),
            kept,
            "{format:?}"
        );
    }
}

#[tokio::test]
async fn five_megabytes_pass_and_one_byte_more_does_not() {
    let front = Front::start().await;
    let mut bytes = picture(8, 8, ImageFormat::Png);
    // What follows the end of a PNG belongs to nobody, and is not kept.
    bytes.resize(LIMIT, 0);
    let file = upload(&front, &user(), None, bytes.clone()).await.data();
    assert!(file["size"].as_u64().unwrap() < 1000, "{file}");
    bytes.push(0);
    let refused = upload(&front, &user(), None, bytes.clone()).await;
    assert_eq!(refused.refusal(), (200, 400, "FILE_TOO_LARGE".to_owned()));
    bytes.resize(7 * 1024 * 1024, 0);
    let refused = upload(&front, &user(), None, bytes).await;
    assert_eq!(refused.refusal(), (413, 400, "FILE_TOO_LARGE".to_owned()));
}

/// Tells a process of this program to keep one picture and say what memory it took: the side that the picture claims, or 0
/// to fill so much memory as no picture may take, which shows that the meter sees it.
const CLAIMED_SIDE: &str = "ADFOLIO_TEST_CLAIMED_SIDE";

/// Bytes of memory that a process may take which refuses a bomb, all of it counted.
const MEMORY_MAX: usize = 64_000_000;

/// The most memory that this process ever had, in bytes.
fn peak_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = peak.unwrap().trim().trim_end_matches("kB").trim();
    kibibytes.parse::<usize>().unwrap() * 1024
}

#[tokio::test]
async fn a_bomb_is_refused_in_little_memory() {
    if let Ok(side) = std::env::var(CLAIMED_SIDE) {
        let side: u32 = side.parse().unwrap();
        if side == 0 {
            std::hint::black_box(vec![1_u8; MEMORY_MAX]);
        } else {
            let uploads = Uploads::on(Arc::new(InMemory::new()));
            let kept = uploads.keep(UserId(Uuid::now_v7()), None, bomb(side).into());
            let refused = kept.await.unwrap_err();
            assert_eq!(refused.refusal.reason, Reason::FileNotImage);
        }
        println!("\npeak: {}", peak_memory());
        return;
    }
    let peak = |side: u32| {
        let began = Instant::now();
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "uploads::a_bomb_is_refused_in_little_memory"])
            .arg("--nocapture")
            .env(CLAIMED_SIDE, side.to_string())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{side}: {said}");
        let peak = said.lines().find_map(|line| line.strip_prefix("peak: "));
        let peak: usize = peak.unwrap().parse().unwrap();
        println!(
            "claimed side {side}: {peak} bytes, process and all in {:?}",
            began.elapsed()
        );
        peak
    };
    assert!(peak(0) > MEMORY_MAX, "the meter sees memory");
    for side in [60_000, 11_000] {
        assert!(peak(side) < MEMORY_MAX, "{side}");
    }
}

#[tokio::test]
async fn what_is_no_picture_is_refused() {
    let front = Front::start().await;
    let whole = picture(64, 64, ImageFormat::Png);
    let mut bmp = Vec::new();
    for (what, bytes) in [
        ("nothing", Vec::new()),
        ("a text", b"hello".to_vec()),
        ("a page", b"<html><script>alert(1)</script></html>".to_vec()),
        (
            "an SVG",
            b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec(),
        ),
        (
            "a page that begins like a GIF",
            b"GIF89a<script>alert(1)</script>".to_vec(),
        ),
        ("half a PNG", whole[..whole.len() / 2].to_vec()),
        ("a bitmap", {
            bmp.extend_from_slice(b"BM");
            bmp.resize(200, 0);
            bmp.clone()
        }),
        ("a bomb", bomb(60_000)),
        ("a bomb within the sides", bomb(11_000)),
    ] {
        let refused = upload(&front, &user(), None, bytes).await;
        assert_eq!(
            refused.refusal(),
            (200, 400, "FILE_NOT_IMAGE".to_owned()),
            "{what}"
        );
    }
    let form = Form::new().text("other", "part");
    let refused = front
        .send(front.post("/files/upload", &user()).multipart(form))
        .await;
    assert_eq!(refused.envelope()["data"]["field"], "file");
}

#[tokio::test]
async fn an_unknown_file_is_not_found_wherever_it_points() {
    let front = Front::start().await;
    let unknown = "0".repeat(48);
    for id in [
        unknown.as_str(),
        "x",
        "..%2F..%2Fetc%2Fpasswd",
        "%2e%2e",
        "upload.jpg",
        "..%2Fkeys%2F000000000000000000000000000000000000000000000000",
    ] {
        let answer = front.send(front.get(&format!("/files/{id}"))).await;
        assert_eq!(answer.refusal(), (404, 405, "NOT_FOUND".to_owned()), "{id}");
        assert_eq!(answer.header("cache-control"), "no-store");
    }
}

#[tokio::test]
async fn a_repeated_upload_is_the_same_file() {
    let front = Front::start().await;
    let (user, other) = (user(), user());
    let (red, tall) = (
        picture(8, 8, ImageFormat::Png),
        picture(8, 16, ImageFormat::Png),
    );
    let at_once = (0..8).map(|_| upload(&front, &user, Some("key-1"), red.clone()));
    let answers = futures::future::join_all(at_once).await;
    let first = answers[0].data();
    for answer in &answers {
        assert_eq!(answer.data(), first);
    }
    assert_eq!(
        upload(&front, &user, Some("key-1"), red.clone())
            .await
            .data(),
        first
    );
    let reused = upload(&front, &user, Some("key-1"), tall).await;
    assert_eq!(
        reused.refusal(),
        (200, 400, "IDEMPOTENCY_KEY_REUSED".to_owned())
    );
    let others = upload(&front, &other, Some("key-1"), red.clone())
        .await
        .data();
    assert_ne!(others["id"], first["id"]);
    let without = upload(&front, &user, None, red).await.data();
    assert_ne!(without["id"], first["id"]);
}

#[tokio::test]
async fn a_file_is_its_owners_alone() {
    let uploads = Uploads::on(Arc::new(InMemory::new()));
    let (owner, other) = (UserId(Uuid::now_v7()), UserId(Uuid::now_v7()));
    let bytes = Bytes::from(picture(8, 8, ImageFormat::Png));
    let file = uploads.keep(owner, None, bytes).await.unwrap();
    uploads
        .require_owned(owner, &file.id, "avatar_file_id")
        .await
        .unwrap();
    let unknown = format!("{}{}", &file.id[..16], "0".repeat(32));
    for (who, id) in [
        (other, file.id.as_str()),
        (owner, &unknown),
        (owner, "../x"),
        (owner, ""),
    ] {
        let refused = uploads
            .require_owned(who, id, "avatar_file_id")
            .await
            .unwrap_err();
        assert_eq!(refused.refusal.reason, Reason::NotFound, "{id}");
        assert_eq!(refused.refusal.field.as_deref(), Some("avatar_file_id"));
    }
}
