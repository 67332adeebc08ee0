//! Settings of notifications.

use http::Uri;
use lettre::Address;
use serde::Deserialize;

/// Notifications on people's devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushConfig {
    /// Address at which a push service reaches whoever runs this: `mailto:` or `https:`.
    pub contact: String,
    /// Allows push services on this machine.
    pub allow_loopback: bool,
}

#[derive(Deserialize)]
pub(super) struct RawPush {
    contact: Option<String>,
    allow_loopback: bool,
}

/// Returns the settings, `None` without a contact.
///
/// # Errors
/// Returns what is wrong with the contact.
pub(super) fn checked(raw: RawPush) -> Result<Option<PushConfig>, String> {
    let Some(contact) = raw.contact else { return Ok(None) };
    let mail = || contact.strip_prefix("mailto:").is_some_and(|to| to.parse::<Address>().is_ok());
    let page =
        || contact.starts_with("https://") && contact.parse::<Uri>().is_ok_and(|uri| uri.host().is_some());
    if !mail() && !page() {
        return Err(
            "`push.contact` cannot be used: it is an address like mailto:ops@example.org or https://example.org/contact"
                .into(),
        );
    }
    Ok(Some(PushConfig { contact, allow_loopback: raw.allow_loopback }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_is_a_mail_address_or_a_page() {
        let of = |contact: &str| checked(RawPush { contact: Some(contact.into()), allow_loopback: false });
        for good in ["mailto:ops@example.org", "https://example.org", "https://example.org/contact"] {
            assert_eq!(of(good).unwrap().unwrap().contact, good);
        }
        for bad in ["", "ops@example.org", "mailto:", "mailto:ops", "http://example.org", "https://", "tel:1"]
        {
            assert!(of(bad).unwrap_err().contains("push.contact"), "{bad}");
        }
        assert_eq!(checked(RawPush { contact: None, allow_loopback: true }), Ok(None));
    }
}
