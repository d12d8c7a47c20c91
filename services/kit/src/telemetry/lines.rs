//! The format of log lines: tracing-subscriber's, with the [`Work`](super::Work) in which a line is
//! written in the place of spans.

use std::fmt;

use opentelemetry::Context;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::fmt::format::{Format, Full, Json, JsonFields, Writer};
use tracing_subscriber::fmt::time::{FormatTime as _, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, MakeWriter, layer};
use tracing_subscriber::registry::LookupSpan;

use super::work::Named;
use crate::config::LogFormat;

/// A layer that writes log lines.
pub fn log_lines<S, W>(format: LogFormat, writer: W) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'lookup> LookupSpan<'lookup>,
    W: for<'writer> MakeWriter<'writer> + Send + Sync + 'static,
{
    match format {
        LogFormat::Human => layer()
            .event_format(Human(Format::default().without_time().with_level(false)))
            .with_writer(writer)
            .boxed(),
        LogFormat::Json => layer()
            .event_format(Objects(
                Format::default()
                    .json()
                    .flatten_event(true)
                    .with_current_span(false)
                    .with_span_list(false),
            ))
            .fmt_fields(JsonFields::new())
            .with_writer(writer)
            .boxed(),
    }
}

/// Writes time and level itself, because the work stands between them and the rest.
struct Human(Format<Full, ()>);

impl<S, N> FormatEvent<S, N> for Human
where
    S: Subscriber + for<'lookup> LookupSpan<'lookup>,
    N: for<'writer> FormatFields<'writer> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let level = *event.metadata().level();
        let style = |code| if writer.has_ansi_escapes() { code } else { "" };
        let (dim, colour, plain) = (style("\x1b[2m"), style(colour_of(level)), style("\x1b[0m"));
        write!(writer, "{dim}")?;
        SystemTime.format_time(&mut writer)?;
        write!(writer, "{plain} {colour}{level:>5}{plain} ")?;
        if let Some(named) = current() {
            named.write(&mut writer)?;
        }
        self.0.format_event(context, writer, event)
    }
}

fn colour_of(level: Level) -> &'static str {
    match level {
        Level::TRACE => "\x1b[35m",
        Level::DEBUG => "\x1b[34m",
        Level::INFO => "\x1b[32m",
        Level::WARN => "\x1b[33m",
        Level::ERROR => "\x1b[31m",
    }
}

/// One object per line.
struct Objects(Format<Json>);

impl<S, N> FormatEvent<S, N> for Objects
where
    S: Subscriber + for<'lookup> LookupSpan<'lookup>,
    N: for<'writer> FormatFields<'writer> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let Some(named) = current() else {
            return self.0.format_event(context, writer, event);
        };
        let mut line = String::new();
        self.0
            .format_event(context, Writer::new(&mut line), event)?;
        let work = named.to_json();
        let innermost = work.last().cloned().unwrap_or_default();
        let object = line.trim_end().strip_suffix('}').ok_or(fmt::Error)?;
        writeln!(
            writer,
            r#"{object},"span":{innermost},"spans":{}}}"#,
            serde_json::Value::from(work)
        )
    }
}

fn current() -> Option<Named> {
    Context::map_current(|context| context.get::<Named>().cloned())
}
