//! Secrets of webhooks, and signatures by them as Standard Webhooks makes them
//! (<https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md>).

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

/// Secret that an endpoint shares with us. It has no `Debug`.
#[derive(Clone)]
pub(crate) struct Secret(hmac::Key);

impl Secret {
    /// Reads the text of a secret's file: `whsec_` and 24 to 64 bytes in Base64, which may have blanks around it. Returns
    /// `None` for any other text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let encoded = text.trim().strip_prefix("whsec_")?;
        let bytes = Zeroizing::new(STANDARD.decode(encoded).ok()?);
        (24..=64).contains(&bytes.len()).then(|| Self(hmac::Key::new(hmac::HMAC_SHA256, &bytes)))
    }

    fn sign(&self, id: &str, seconds: i64, body: &str) -> String {
        let tag = hmac::sign(&self.0, format!("{id}.{seconds}.{body}").as_bytes());
        format!("v1,{}", STANDARD.encode(tag))
    }
}

/// Returns the value of `webhook-signature`: one for each secret, so that whoever knows any of them can verify it.
pub(crate) fn signatures(secrets: &[Secret], id: &str, seconds: i64, body: &str) -> String {
    secrets.iter().map(|secret| secret.sign(id, seconds, body)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example that the specification's own libraries are tested with.
    #[test]
    fn a_signature_is_that_of_the_specification() {
        let secret = Secret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n").expect("a secret");
        let signed =
            signatures(&[secret], "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, "{\"test\": 2432232314}");
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn every_secret_signs_while_rotating() {
        let [old, new] = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"]
            .map(|text| Secret::parse(text).expect("a secret"));
        let both = signatures(&[new.clone(), old.clone()], "1-0", 7, "{}");
        let each = [new, old].map(|secret| signatures(&[secret], "1-0", 7, "{}"));
        assert_eq!(both, each.join(" "));
    }

    #[test]
    fn what_is_no_secret_is_refused() {
        for wrong in
            ["", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_abc", "whsec_c2hvcnQ=", "whsec_ä"]
        {
            assert!(Secret::parse(wrong).is_none(), "{wrong}");
        }
        let long = format!("whsec_{}", STANDARD.encode([7; 65]));
        assert!(Secret::parse(&long).is_none());
    }
}
