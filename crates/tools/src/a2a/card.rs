//! Agent cards: an agent's description of itself and its addresses (`docs/design/0037-models-and-tools.md`).

use serde_json::Value;
use throughline_net::Address;

/// The path of an agent's card, under its address.
pub(super) const AT: &str = ".well-known/agent-card.json";

/// A protocol binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binding {
    JsonRpc,
    HttpJson,
}

/// An interface of an agent.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Interface {
    pub(super) binding: Binding,
    pub(super) address: Address,
    /// The agent's own name for one of several behind an address.
    pub(super) tenant: Option<String>,
}

/// The first interface of a card that is supported, at the configured host and at no other: a card does not decide
/// where prompts are sent.
///
/// # Errors
/// There is none; the text is for people.
pub(super) fn interface(card: &Value, home: &Address, allow_loopback: bool) -> Result<Interface, String> {
    let offered = card["supportedInterfaces"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut why = "its card offers neither JSON-RPC nor HTTP+JSON".to_owned();
    for one in offered {
        let binding = match one["protocolBinding"].as_str().unwrap_or_default().to_uppercase().as_str() {
            "JSONRPC" => Binding::JsonRpc,
            "HTTP+JSON" => Binding::HttpJson,
            _ => continue,
        };
        let version = one["protocolVersion"].as_str().unwrap_or("1.0");
        if !version.is_empty() && !version.starts_with("1.") {
            why = format!("its card offers A2A {version}, and 1.0 is spoken here");
            continue;
        }
        let url = one["url"].as_str().unwrap_or_default();
        match Address::parse(url, allow_loopback) {
            Ok(address) if address.same_origin(home) => {
                let tenant = one["tenant"].as_str().filter(|tenant| !tenant.is_empty()).map(str::to_owned);
                return Ok(Interface { binding, address, tenant });
            }
            Ok(_) => why = format!("its card sends us to another host, {url}"),
            Err(error) => why = error,
        }
    }
    Err(why)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_card_sends_us_nowhere_else() {
        let home = Address::parse("https://agents.example.com/writer", false).unwrap();
        let card = |binding: &str, url: &str| json!({"supportedInterfaces": [{"protocolBinding": binding, "url": url}]});
        let found = |card: &Value| interface(card, &home, false).map(|interface| interface.binding);
        assert_eq!(found(&card("JSONRPC", "https://agents.example.com/a2a")), Ok(Binding::JsonRpc));
        assert_eq!(found(&card("HTTP+JSON", "https://agents.example.com")), Ok(Binding::HttpJson));
        for elsewhere in [
            card("JSONRPC", "https://evil.example.org/"),
            card("JSONRPC", "http://agents.example.com/"),
            card("JSONRPC", "https://agents.example.com:8443/"),
            card("JSONRPC", "http://169.254.169.254/"),
            card("GRPC", "https://agents.example.com/"),
            json!({"supportedInterfaces": [{"protocolBinding": "JSONRPC", "protocolVersion": "0.3", "url": "https://agents.example.com/"}]}),
            json!({"url": "https://agents.example.com/"}),
            json!(null),
        ] {
            assert!(found(&elsewhere).is_err(), "{elsewhere}");
        }
    }
}
