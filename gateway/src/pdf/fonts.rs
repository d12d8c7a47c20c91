//! The fonts of documents: a text is set in several of them, character by character, so that names in any of our scripts
//! can be read.

use std::sync::LazyLock;

use krilla::text::Font;
use ttf_parser::Face;

use crate::errors::Failure;

/// Latin, Cyrillic and Greek, then Thai, then Han, Kana and Hangul, for which there is one weight.
const REGULAR: [&[u8]; 3] = [
    include_bytes!("../../fonts/OpenSans-Regular.ttf"),
    include_bytes!("../../fonts/NotoSansThai-Regular.ttf"),
    HAN,
];

const BOLD: [&[u8]; 3] = [
    include_bytes!("../../fonts/OpenSans-Bold.ttf"),
    include_bytes!("../../fonts/NotoSansThai-Bold.ttf"),
    HAN,
];

const HAN: &[u8] = include_bytes!("../../fonts/wqy-microhei.ttc");

/// Stands for what does not fit.
const ELLIPSIS: char = '…';

/// A weight of the fonts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Of text.
    Regular,
    /// Of titles and sums.
    Bold,
}

/// The fonts of a weight, in the order in which they are tried.
pub struct Typeface(Vec<Loaded>);

struct Loaded {
    font: Font,
    face: Face<'static>,
}

/// The fonts are no fonts.
#[derive(Debug, thiserror::Error)]
#[error("a font cannot be read")]
struct Unreadable;

static TYPEFACES: LazyLock<Option<[Typeface; 2]>> =
    LazyLock::new(|| Some([Typeface::load(REGULAR)?, Typeface::load(BOLD)?]));

impl Weight {
    /// Its fonts. They are part of the program; that all can be read is tested.
    pub fn typeface(self) -> Result<&'static Typeface, Failure> {
        let typefaces = TYPEFACES.as_ref();
        let typefaces =
            typefaces.ok_or_else(|| Failure::internal("load the fonts", &Unreadable))?;
        let [regular, bold] = typefaces;
        Ok(match self {
            Self::Regular => regular,
            Self::Bold => bold,
        })
    }
}

impl Typeface {
    fn load(files: [&'static [u8]; 3]) -> Option<Self> {
        let load = |file: &'static [u8]| {
            Some(Loaded {
                font: Font::new(file.into(), 0)?,
                face: Face::parse(file, 0).ok()?,
            })
        };
        files.into_iter().map(load).collect::<Option<_>>().map(Self)
    }

    /// The characters of a text that no font has.
    pub fn missing(&self, text: &str) -> String {
        let has = |character| {
            let mut faces = self.0.iter();
            faces.any(|loaded| loaded.face.glyph_index(character).is_some())
        };
        text.chars().filter(|character| !has(*character)).collect()
    }

    /// The parts of a text that one font has, each with its width at `size`. What no font has is the first one's box.
    pub fn runs<'a>(&self, text: &'a str, size: f32) -> Vec<(Font, &'a str, f32)> {
        let mut runs: Vec<(usize, usize, f32)> = Vec::new();
        for (start, character) in text.char_indices() {
            let (index, advance) = self.glyph(character, size);
            match runs.last_mut() {
                Some((last, _, width)) if *last == index => *width += advance,
                _ => runs.push((index, start, advance)),
            }
        }
        let ends = runs.iter().skip(1).map(|(_, start, _)| *start);
        let ends: Vec<usize> = ends.chain([text.len()]).collect();
        let shown = runs.into_iter().zip(ends);
        shown
            .filter_map(|((index, start, width), end)| {
                let font = self.0.get(index)?.font.clone();
                Some((font, text.get(start..end)?, width))
            })
            .collect()
    }

    /// The width of a text at `size`.
    pub fn width(&self, text: &str, size: f32) -> f32 {
        text.chars()
            .map(|character| self.glyph(character, size).1)
            .sum()
    }

    /// The text, cut to a width.
    pub fn fit(&self, text: &str, size: f32, width: f32) -> String {
        if self.width(text, size) <= width {
            return text.to_owned();
        }
        let mut left = width - self.glyph(ELLIPSIS, size).1;
        let kept = text.chars().take_while(|character| {
            left -= self.glyph(*character, size).1;
            left >= 0.0
        });
        let kept: String = kept.collect();
        format!("{}{ELLIPSIS}", kept.trim_end())
    }

    /// The first font that has a character, and how far it moves the pen at `size`.
    fn glyph(&self, character: char, size: f32) -> (usize, f32) {
        let faces = self.0.iter().map(|loaded| &loaded.face).enumerate();
        let mut having =
            faces.filter_map(|(index, face)| Some((index, face, face.glyph_index(character)?)));
        having
            .next()
            .map_or((0, size / 2.0), |(index, face, glyph)| {
                let advance = face.glyph_hor_advance(glyph).unwrap_or_default();
                let scale = size / f32::from(face.units_per_em());
                (index, f32::from(advance) * scale)
            })
    }
}
