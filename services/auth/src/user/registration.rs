//! The fields of a registration and their rules.

use adfolio_kit::refusal::{Reason, Refusal};
use secrecy::{ExposeSecret, SecretString};

use crate::nickname;
use crate::password::{self, NewPassword};
use crate::session::entity::Client;
use crate::username::Username;

const LONGEST_NICKNAME: usize = 64;
const LONGEST_EMAIL: usize = 254;
const LONGEST_EMAIL_LOCAL: usize = 64;
const LONGEST_PHONE: usize = 32;

/// A registration as a client sends it.
#[derive(Debug)]
pub struct RegistrationForm {
    pub username: String,
    /// Name shown; empty takes the user name.
    pub nickname: String,
    pub password: SecretString,
    pub confirm_password: SecretString,
    pub email: String,
    pub phone: String,
    pub license_key: SecretString,
    /// The older form: the second password, e-mail address and phone number may be absent.
    pub older_form: bool,
    pub client: Client,
}

/// A registration whose fields are all valid.
#[derive(Debug)]
pub struct Registration {
    pub username: Username,
    pub nickname: String,
    pub password: NewPassword,
    /// E-mail address; may be empty in the older form.
    pub email: String,
    /// Phone number; may be empty in the older form.
    pub phone: String,
    /// Authorisation code as typed; it need not exist.
    pub license_key: SecretString,
    pub client: Client,
}

impl RegistrationForm {
    /// Checks every field in the order of the form. Refusals name the field as the REST contract does.
    pub fn check(self) -> Result<Registration, Refusal> {
        let username = Username::parse(&self.username)?;
        let nickname = match self.nickname.trim() {
            "" => username.as_str().to_owned(),
            nickname => nickname::parse(nickname, LONGEST_NICKNAME)?,
        };
        let names = password::names_of(username.as_str(), &nickname, self.email.trim());
        let password = NewPassword::parse(&self.password, &names)
            .map_err(|rule| Refusal::broken(rule, "password"))?;
        let confirmed = self.confirm_password.expose_secret();
        let absent = self.older_form && confirmed.is_empty();
        if !absent && confirmed.is_empty() {
            return Err(Refusal::invalid("confirm_password"));
        }
        if !absent && confirmed != self.password.expose_secret() {
            return Err(Refusal::new(Reason::PasswordMismatch).field("confirm_password"));
        }
        let email = self.email.trim();
        if !(is_email(email) || self.older_form && email.is_empty()) {
            return Err(Refusal::invalid("email"));
        }
        let phone = self.phone.trim();
        if !(is_phone(phone) || self.older_form && phone.is_empty()) {
            return Err(Refusal::invalid("phone"));
        }
        if self.license_key.expose_secret().trim().is_empty() {
            return Err(Refusal::invalid("licenseKey"));
        }
        let (email, phone) = (email.to_owned(), phone.to_owned());
        Ok(Registration {
            username,
            nickname,
            password,
            email,
            phone,
            license_key: self.license_key,
            client: self.client,
        })
    }
}

/// Whether a text can be an e-mail address: enough to catch slips, since only a message to it could prove more.
pub fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let plain = |part: &str| {
        !part.chars().any(|letter| {
            letter.is_whitespace() || letter.is_control() || "<>()[]\\,;:\"@".contains(letter)
        })
    };
    let dotted = |part: &str| part.split('.').all(|label| !label.is_empty());
    let label = |label: &str| {
        let edges = !label.starts_with('-') && !label.ends_with('-');
        edges
            && label.len() <= 63
            && label
                .chars()
                .all(|letter| letter.is_alphanumeric() || letter == '-')
    };
    text.len() <= LONGEST_EMAIL
        && (1..=LONGEST_EMAIL_LOCAL).contains(&local.len())
        && plain(local)
        && dotted(local)
        && domain.contains('.')
        && dotted(domain)
        && domain.split('.').all(label)
}

/// Whether a text can be a phone number: 5 to 15 digits, perhaps with `+` in front and the usual signs between.
pub fn is_phone(text: &str) -> bool {
    let rest = text.strip_prefix('+').unwrap_or(text);
    let digits = rest.bytes().filter(u8::is_ascii_digit).count();
    let plain = rest
        .chars()
        .all(|letter| letter.is_ascii_digit() || " -().".contains(letter));
    plain && (5..=15).contains(&digits) && text.len() <= LONGEST_PHONE
}

#[cfg(test)]
mod tests {
    use adfolio_kit::refusal::Rule;

    use super::*;

    fn form() -> RegistrationForm {
        RegistrationForm {
            username: "ann.lee".into(),
            nickname: String::new(),
            password: "correct horse".into(),
            confirm_password: "correct horse".into(),
            email: "ann@shop.example".into(),
            phone: "+86 138 0013 8000".into(),
            license_key: "KEY-0001".into(),
            older_form: false,
            client: Client::default(),
        }
    }

    fn refused(form: RegistrationForm) -> Refusal {
        form.check().expect_err("refused")
    }

    #[test]
    fn a_full_form_passes_and_fills_the_nickname() {
        assert_eq!(form().check().expect("accepted").nickname, "ann.lee");
    }

    #[test]
    fn each_field_is_named_as_the_contract_does() {
        type Spoil = fn(&mut RegistrationForm);
        let cases: [(&str, Option<Rule>, Spoil); 12] = [
            ("username", Some(Rule::TooShort), |form| {
                form.username.clear();
            }),
            ("username", Some(Rule::MixedScripts), |form| {
                form.username = "аnn.lee".into();
            }),
            ("nickname", Some(Rule::Form), |form| {
                form.nickname = "a\u{202e}b".into();
            }),
            ("password", Some(Rule::TooShort), |form| {
                form.password = "short".into();
            }),
            ("password", Some(Rule::Common), |form| {
                form.password = "Password1".into();
            }),
            ("password", Some(Rule::LikeName), |form| {
                form.password = "EEL.nna1".into();
            }),
            ("password", Some(Rule::LikeName), |form| {
                form.nickname = "My little shop".into();
                form.password = "my little shop".into();
            }),
            ("password", Some(Rule::LikeName), |form| {
                form.email = "first.wholesale@shop.example".into();
                form.password = "First.Wholesale".into();
            }),
            ("confirm_password", None, |form| {
                form.confirm_password = "".into();
            }),
            ("email", None, |form| form.email = "ann@shop".into()),
            ("phone", None, |form| form.phone = "call me".into()),
            ("licenseKey", None, |form| form.license_key = "  ".into()),
        ];
        for (field, rule, spoil) in cases {
            let mut spoiled = form();
            spoil(&mut spoiled);
            let refusal = refused(spoiled);
            assert_eq!(refusal.reason, Reason::Validation);
            assert_eq!(refusal.field.as_deref(), Some(field));
            assert_eq!(refusal.rule, rule);
        }
    }

    #[test]
    fn differing_passwords_are_a_reason_of_their_own() {
        let mut differing = form();
        differing.confirm_password = "correct horsE".into();
        let refusal = refused(differing);
        assert_eq!(refusal.reason, Reason::PasswordMismatch);
        assert_eq!(refusal.field.as_deref(), Some("confirm_password"));
    }

    #[test]
    fn the_older_form_may_leave_out_what_it_never_had() {
        let mut older = form();
        older.older_form = true;
        older.confirm_password = "".into();
        older.email.clear();
        older.phone.clear();
        assert!(older.check().is_ok());
        let mut wrong = form();
        wrong.older_form = true;
        wrong.email = "nonsense".into();
        assert_eq!(refused(wrong).field.as_deref(), Some("email"));
    }

    #[test]
    fn addresses_and_numbers() {
        for email in [
            "a@b.co",
            "first.last+tag@mail.example.org",
            "用户@例子.中国",
        ] {
            assert!(is_email(email), "{email}");
        }
        for email in [
            "",
            "a",
            "@b.co",
            "a@",
            "a@b",
            "a b@c.de",
            "a@-b.co",
            "a@b..co",
            "a..b@c.de",
            "a@b@c.de",
        ] {
            assert!(!is_email(email), "{email}");
        }
        for phone in ["13800138000", "+49 (30) 123-456", "12345"] {
            assert!(is_phone(phone), "{phone}");
        }
        for phone in ["", "1234", "+", "12a45", "1234567890123456", "++12345"] {
            assert!(!is_phone(phone), "{phone}");
        }
    }
}
