//! What a mail says: plain text in the reader's language. It asks for nothing and leads nowhere but into the app at the
//! one public address: to its start, and to the page that stops payouts and asks for no password.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message};
use lettre::{Address, address};
use secrecy::ExposeSecret as _;
use serde::Deserialize;
use url::Url;

use super::entity::{Failure, Mail};
use super::link::{self, LinkToken};
use crate::lang::{Lang, TextsError, text_files};
use crate::peers::Recipient;
use crate::text::{Catalogues, Param};

/// What every mail ends with, in every language.
const FILES: &[(Lang, &str)] = text_files!("texts/mail");

/// The parameter of a text that is a code. It is filled in when the mail is sent, and stored nowhere.
const CODE: &str = "code";

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Frame {
    /// Above the link for a reader whose doing it was not.
    disown: String,
    closing: String,
}

/// What is the same in all mails.
#[derive(Debug)]
pub struct Letters {
    from: Mailbox,
    public_url: Option<Url>,
    frames: HashMap<Lang, Frame>,
}

impl Letters {
    pub fn new(from: Mailbox, public_url: Option<Url>) -> Result<Self, TextsError> {
        let read = |(lang, json): &(Lang, &str)| Ok((*lang, lang.read(json)?));
        let frames: Result<_, TextsError> = FILES.iter().map(read).collect();
        Ok(Self {
            from,
            public_url,
            frames: frames?,
        })
    }

    /// A new token for the link of this mail; none if it carries no link.
    pub fn new_token(&self, mail: &Mail) -> Option<LinkToken> {
        let has_link = self.public_url.is_some() && link::is_carried_by(&mail.template);
        has_link.then(LinkToken::random)
    }

    /// The mail to this recipient in this language, with the link of this token.
    pub fn write(
        &self,
        (mail, token): (&Mail, Option<&LinkToken>),
        catalogues: &Catalogues,
        to: &Recipient,
        lang: Lang,
        now: DateTime<Utc>,
    ) -> Result<Message, Failure> {
        let address: Address = to
            .email
            .parse()
            .map_err(|_: address::AddressError| Failure::BadAddress)?;
        let mut params = mail.params.clone();
        if let Some(code) = &to.email_code {
            let code = Param::Text(code.expose_secret().to_owned());
            params.insert(CODE.to_owned(), code);
        }
        let rendered = catalogues.render(lang, &mail.template, &params);
        let body = self.body(&rendered.content, mail.occurred_at, token, lang);
        let message = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, address))
            // The same for every attempt, so that a mail that arrives twice is recognised.
            .message_id(Some(format!("<{}@{}>", mail.id, self.from.email.domain())))
            .date(now.into())
            .subject(rendered.title)
            .header(ContentType::TEXT_PLAIN)
            .body(body);
        let mut message = message.map_err(|_| Failure::BadAddress)?;
        let headers = message.headers_mut();
        for (name, value) in [
            // RFC 3834: no answering machine answers it.
            ("Auto-Submitted", "auto-generated"),
            ("Content-Language", tag(lang)),
        ] {
            let name = HeaderName::new_from_ascii_str(name);
            headers.insert_raw(HeaderValue::new(name, value.to_owned()));
        }
        Ok(message)
    }

    fn body(
        &self,
        content: &str,
        occurred_at: DateTime<Utc>,
        token: Option<&LinkToken>,
        lang: Lang,
    ) -> String {
        let mut parts = vec![
            content.to_owned(),
            occurred_at.format("%Y-%m-%d %H:%M UTC").to_string(),
        ];
        let frame = lang
            .chain()
            .into_iter()
            .find_map(|lang| self.frames.get(&lang));
        let link = token
            .zip(self.public_url.as_ref())
            .map(|(token, url)| token.under(url));
        parts.extend(
            frame
                .zip(link)
                .map(|(frame, link)| format!("{}\n{link}", frame.disown)),
        );
        parts.extend(frame.map(|frame| frame.closing.clone()));
        parts.extend(self.public_url.as_ref().map(Url::to_string));
        parts.join("\n\n") + "\n"
    }
}

/// The language as mail programs know it (BCP 47).
fn tag(lang: Lang) -> &'static str {
    match lang {
        Lang::Cht => "zh-Hant",
        Lang::Zh => "zh-Hans",
        Lang::Jp => "ja",
        Lang::Kor => "ko",
        Lang::Spa => "es",
        Lang::De | Lang::En | Lang::Fr | Lang::Pt | Lang::Ru | Lang::Th | Lang::Vi => lang.code(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::lang::assert_used;

    fn letters() -> Letters {
        let from = "Adfolio <no-reply@adfolio.example>".parse().unwrap();
        let url = Url::parse("https://app.adfolio.example").unwrap();
        Letters::new(from, Some(url)).unwrap()
    }

    #[test]
    fn every_language_ends_in_its_own_words_and_with_the_one_address() {
        assert_used("texts/mail", FILES);
        let letters = letters();
        let token = LinkToken::random();
        let bodies: BTreeSet<String> = Lang::ALL
            .iter()
            .map(|lang| letters.body("", DateTime::UNIX_EPOCH, Some(&token), *lang))
            .collect();
        assert_eq!(bodies.len(), Lang::ALL.len());
        for body in &bodies {
            assert!(body.starts_with("\n\n1970-01-01 00:00 UTC\n\n"), "{body}");
            assert!(
                body.ends_with("\n\nhttps://app.adfolio.example/\n"),
                "{body}"
            );
            let link = ":\nhttps://app.adfolio.example/#/not-me?token=";
            assert_eq!(body.replace('：', ":").matches(link).count(), 1, "{body}");
            assert_eq!(body.matches("://").count(), 2, "{body}");
        }
    }
}
