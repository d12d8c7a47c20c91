//! Decodes a picture within limits and encodes it again, without metadata or hidden content.

use std::io::Cursor;

use adfolio_kit::refusal::Reason;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, ImageResult, Limits};

/// Maximum width and height in pixels. Larger pictures are refused before they are decoded.
const MAX_SIDE: u32 = 12_000;

/// Maximum size of a decoded picture in bytes: 26 million pixels of three bytes, as phones take them.
pub const MAX_DECODED_BYTES: u64 = 80 * 1024 * 1024;

/// Quality of JPEGs, high enough that a second encoding is not visible.
const JPEG_QUALITY: u8 = 88;

/// A picture to store.
#[derive(Debug)]
pub struct Picture {
    /// PNG or JPEG.
    pub bytes: Vec<u8>,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// Decodes PNG, JPEG, WebP or GIF, detected by content, and encodes it again: a JPEG or a WebP photo as JPEG,
/// anything else as PNG. Of an animation, only the first frame is kept.
pub fn recode(bytes: &[u8]) -> Result<Picture, Reason> {
    let format = image::guess_format(bytes).map_err(|_| Reason::FileNotImage)?;
    if !matches!(
        format,
        ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP | ImageFormat::Gif
    ) {
        return Err(Reason::FileNotImage);
    }
    let picture = decode(bytes, format).map_err(|_| Reason::FileNotImage)?;
    let (width, height) = (picture.width(), picture.height());
    let photo = match format {
        ImageFormat::Jpeg => true,
        ImageFormat::WebP => !picture.color().has_alpha(),
        _ => false,
    };
    let bytes = encode(picture, photo).map_err(|_| Reason::FileNotImage)?;
    Ok(Picture {
        bytes,
        width,
        height,
    })
}

fn decode(bytes: &[u8], format: ImageFormat) -> ImageResult<DynamicImage> {
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_DECODED_BYTES);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits.clone());
    let mut decoder = reader.into_decoder()?;
    // The decoder does not count the buffer of the whole picture, because it is allocated here.
    limits.reserve(decoder.total_bytes())?;
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut picture = DynamicImage::from_decoder(decoder)?;
    picture.apply_orientation(orientation);
    Ok(picture)
}

fn encode(picture: DynamicImage, photo: bool) -> ImageResult<Vec<u8>> {
    let mut bytes = Vec::new();
    if photo {
        let encoder = JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY);
        picture.into_rgb8().write_with_encoder(encoder)?;
        return Ok(bytes);
    }
    let encoder =
        PngEncoder::new_with_quality(&mut bytes, CompressionType::Default, FilterType::Adaptive);
    if picture.color().has_alpha() {
        picture.into_rgba8().write_with_encoder(encoder)?;
    } else {
        picture.into_rgb8().write_with_encoder(encoder)?;
    }
    Ok(bytes)
}
