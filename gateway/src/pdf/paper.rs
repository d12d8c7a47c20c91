//! Sheets of A4 with text and rules on them.

use krilla::Document;
use krilla::color::luma;
use krilla::geom::{PathBuilder, Point};
use krilla::metadata::Metadata;
use krilla::page::PageSettings;
use krilla::paint::{Fill, Stroke};
use krilla::text::TextDirection;

use super::fonts::Weight;
use crate::errors::Failure;
use crate::lang::Lang;

/// Width of A4 in points.
const WIDTH: f32 = 595.28;

/// Height of A4 in points.
const HEIGHT: f32 = 841.89;

/// What stays empty on every side.
pub const MARGIN: f32 = 48.0;

/// Where text ends on the right.
pub const RIGHT: f32 = WIDTH - MARGIN;

/// Where text ends at the bottom.
pub const BOTTOM: f32 = HEIGHT - MARGIN;

/// A size or a line that is none.
#[derive(Debug, thiserror::Error)]
#[error("the measures are impossible")]
struct Impossible;

/// How text looks.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// In points.
    pub size: f32,
    /// How bold.
    pub weight: Weight,
    /// From 0, black, to 255, white.
    pub gray: u8,
}

/// One sheet: what is on it, with places in points from its upper left corner.
#[derive(Debug, Default)]
pub struct Sheet {
    texts: Vec<(f32, f32, String, Style)>,
    rules: Vec<f32>,
}

impl Sheet {
    /// A text that begins at `x`, cut to a width; `y` is its base line.
    pub fn text(
        &mut self,
        (x, y): (f32, f32),
        text: &str,
        style: Style,
        width: f32,
    ) -> Result<(), Failure> {
        let text = style.weight.typeface()?.fit(text, style.size, width);
        self.texts.push((x, y, text, style));
        Ok(())
    }

    /// A text that ends at `x`.
    pub fn text_to(&mut self, (x, y): (f32, f32), text: &str, style: Style) -> Result<(), Failure> {
        let width = style.weight.typeface()?.width(text, style.size);
        self.texts.push((x - width, y, text.to_owned(), style));
        Ok(())
    }

    /// A thin line from margin to margin.
    pub fn rule(&mut self, y: f32) {
        self.rules.push(y);
    }

    /// Its texts, from the first to the last that was put there.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(|(_, _, text, _)| text.as_str())
    }
}

/// The sheets as a file.
pub fn print(sheets: &[Sheet], title: &str, lang: Lang) -> Result<Vec<u8>, Failure> {
    let mut document = Document::new();
    let metadata = Metadata::new()
        .title(title.to_owned())
        .language(language_tag(lang).to_owned())
        .creator("Adfolio".to_owned());
    document.set_metadata(metadata);
    for sheet in sheets {
        let settings = PageSettings::from_wh(WIDTH, HEIGHT);
        let settings = settings.ok_or_else(|| Failure::internal("size a page", &Impossible))?;
        let mut page = document.start_page_with(settings);
        let mut surface = page.surface();
        for (x, y, text, style) in &sheet.texts {
            surface.set_fill(Some(Fill {
                paint: luma::Color::new(style.gray).into(),
                ..Fill::default()
            }));
            let mut x = *x;
            for (font, part, width) in style.weight.typeface()?.runs(text, style.size) {
                let start = Point::from_xy(x, *y);
                surface.draw_text(start, font, style.size, part, false, TextDirection::Auto);
                x += width;
            }
        }
        for y in &sheet.rules {
            let mut line = PathBuilder::new();
            line.move_to(MARGIN, *y);
            line.line_to(RIGHT, *y);
            let line = line
                .finish()
                .ok_or_else(|| Failure::internal("draw a rule", &Impossible))?;
            surface.set_fill(None);
            surface.set_stroke(Some(Stroke {
                paint: luma::Color::new(190).into(),
                width: 0.5,
                ..Stroke::default()
            }));
            surface.draw_path(&line);
            surface.set_stroke(None);
        }
        surface.finish();
        page.finish();
    }
    document
        .finish()
        .map_err(|error| Failure::internal("print a document", &error))
}

/// The BCP 47 tag of a language.
fn language_tag(lang: Lang) -> &'static str {
    match lang {
        Lang::Cht => "zh-Hant",
        Lang::Jp => "ja",
        Lang::Kor => "ko",
        Lang::Spa => "es",
        Lang::Zh => "zh-Hans",
        Lang::De | Lang::En | Lang::Fr | Lang::Pt | Lang::Ru | Lang::Th | Lang::Vi => lang.code(),
    }
}
