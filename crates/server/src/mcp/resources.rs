//! Resources: what the API reads, under addresses of their own.

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::model::{
    CacheScope, ErrorData, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};
use serde_json::Value;

use super::call::problem_text;
use super::handler::Asker;
use super::request::{ApiAnswer, ApiRequest};
use crate::auth::{Caller, Scope};

const SCHEME: &str = "throughline://";
/// Items of one page of a list.
const PAGE: u32 = 50;

/// Kind of resource.
struct Kind {
    /// Address, with the id in braces.
    template: &'static str,
    /// Path of the API, with the id as `{}`.
    path: &'static str,
    name: &'static str,
    says: &'static str,
    media: &'static str,
    needs: Scope,
}

const JSON: &str = "application/json";

const KINDS: [Kind; 6] = [
    Kind {
        template: "throughline://lanes/{lane}",
        path: "/v1/lanes/{}",
        name: "lane",
        says: "A conversation as it stands: questions, tasks, lists, focus.",
        media: JSON,
        needs: Scope::LanesRead,
    },
    Kind {
        template: "throughline://lanes/{lane}/pending",
        path: "/v1/lanes/{}/pending",
        name: "pending",
        says: "What waits in a conversation.",
        media: JSON,
        needs: Scope::LanesRead,
    },
    Kind {
        template: "throughline://lanes/{lane}/context",
        path: "/v1/lanes/{}/context?format=markdown",
        name: "context",
        says: "What a model is told of a conversation: facts, tasks, messages.",
        media: "text/markdown",
        needs: Scope::ContextRead,
    },
    Kind {
        template: "throughline://approvals/{approval}",
        path: "/v1/approvals/{}",
        name: "approval",
        says: "An approval with its exact payload, its hash and its decision.",
        media: JSON,
        needs: Scope::ApprovalsRead,
    },
    Kind {
        template: "throughline://effects/{effect}",
        path: "/v1/effects/{}",
        name: "effect",
        says: "An effect and what came of it.",
        media: JSON,
        needs: Scope::EffectsRead,
    },
    Kind {
        template: "throughline://turns/{turn}/why",
        path: "/v1/turns/{}/why",
        name: "why",
        says: "The reason of a turn in plain words.",
        media: "text/plain",
        needs: Scope::LanesRead,
    },
];

impl Kind {
    /// Returns the id in an address of this kind.
    fn id(&self, uri: &str) -> Option<String> {
        let (before, rest) = self.template.split_once('{')?;
        let (_, after) = rest.split_once('}')?;
        let id = uri.strip_prefix(before)?.strip_suffix(after)?;
        let id = percent_decode_str(id).decode_utf8().ok()?.into_owned();
        (!id.is_empty() && !id.contains('/')).then_some(id)
    }
}

/// Returns the id of a lane or an approval, if the address is one of its kinds: who watches it watches that.
pub(super) fn watched(uri: &str) -> Option<Watched> {
    let id = |kind: &Kind| kind.id(uri).map(|id| (kind.name, id));
    match KINDS.iter().find_map(id)? {
        ("lane" | "pending" | "context", lane) => Some(Watched::Lane(lane)),
        ("approval", approval) => Some(Watched::Approval(approval)),
        _ => None,
    }
}

/// Thing whose changes are told.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Watched {
    /// Lane of that id.
    Lane(String),
    /// Approval of that id.
    Approval(String),
}

/// Returns the kinds that the caller may read.
pub(super) fn templates(caller: &Caller) -> ListResourceTemplatesResult {
    let theirs = KINDS.iter().filter(|kind| caller.may(kind.needs));
    let template = |kind: &Kind| {
        ResourceTemplate::new(kind.template, kind.name).with_description(kind.says).with_mime_type(kind.media)
    };
    let mut result = ListResourceTemplatesResult::with_all_items(theirs.map(template).collect());
    result.cache_scope = Some(CacheScope::Private);
    result
}

/// Reads a resource with the caller's rights.
pub(super) async fn read(asker: &Asker, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let Some((kind, id)) = KINDS.iter().find_map(|kind| Some((kind, kind.id(uri)?))) else {
        return Err(ErrorData::resource_not_found(format!("there is nothing at {uri:?}"), None));
    };
    let id = utf8_percent_encode(&id, NON_ALPHANUMERIC).to_string();
    let request = ApiRequest::get(kind.path.replace("{}", &id)).header("accept", kind.media.into());
    let answer = asker.api.send(request).await;
    if !answer.status.is_success() {
        return Err(fault(&answer));
    }
    let content = ResourceContents::text(answer.text(), uri).with_mime_type(kind.media);
    let mut result = ReadResourceResult::new(vec![content]);
    result.cache_scope = Some(CacheScope::Private);
    Ok(result)
}

/// Returns the API's problem as an error of the protocol: a read has no other way to refuse.
pub(super) fn fault(answer: &ApiAnswer) -> ErrorData {
    let problem = answer.json();
    let text = problem_text(&problem);
    match answer.status.as_u16() {
        404 => ErrorData::resource_not_found(text, Some(problem)),
        400..=499 => ErrorData::invalid_params(text, Some(problem)),
        _ => ErrorData::internal_error(text, Some(problem)),
    }
}

/// List of the API whose items are resources.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Listing {
    Lanes,
    Approvals,
}

impl Listing {
    const ALL: [Self; 2] = [Self::Lanes, Self::Approvals];

    fn word(self) -> &'static str {
        match self {
            Self::Lanes => "lanes",
            Self::Approvals => "approvals",
        }
    }

    fn needs(self) -> Scope {
        match self {
            Self::Lanes => Scope::LanesRead,
            Self::Approvals => Scope::ApprovalsRead,
        }
    }

    fn resource(self, item: &Value) -> Resource {
        let member = |name: &str| item[name].as_str().unwrap_or_default();
        let uri = format!("{SCHEME}{}/{}", self.word(), member("id"));
        let name = match self {
            Self::Lanes => format!("{} {}", member("channel"), member("conversation")),
            Self::Approvals => item["card"]["title"].as_str().unwrap_or(member("id")).to_owned(),
        };
        Resource::new(uri, name).with_mime_type(JSON)
    }
}

/// Lists the lanes and the approvals that wait, a page at a time, as far as the caller may read them.
pub(super) async fn list(asker: &Asker, cursor: Option<String>) -> Result<ListResourcesResult, ErrorData> {
    let theirs: Vec<Listing> =
        Listing::ALL.into_iter().filter(|listing| asker.caller.may(listing.needs())).collect();
    let (listing, place) = match cursor.as_deref() {
        None => (theirs.first().copied(), None),
        Some(cursor) => {
            let (word, place) = cursor.split_once(':').unwrap_or((cursor, ""));
            let named = theirs.iter().copied().find(|listing| listing.word() == word);
            let named = named.ok_or_else(|| {
                ErrorData::invalid_params("the cursor is not one that this list gave out", None)
            })?;
            (Some(named), Some(place).filter(|place| !place.is_empty()))
        }
    };
    let Some(listing) = listing else { return Ok(ListResourcesResult::default()) };
    let mut target = format!("/v1/{}?limit={PAGE}", listing.word());
    if let Some(place) = place {
        target += &format!("&cursor={}", utf8_percent_encode(place, NON_ALPHANUMERIC));
    }
    let answer = asker.api.send(ApiRequest::get(target)).await;
    if !answer.status.is_success() {
        return Err(fault(&answer));
    }
    let page = answer.json();
    let items = page["items"].as_array().into_iter().flatten();
    let mut result = ListResourcesResult::with_all_items(items.map(|item| listing.resource(item)).collect());
    let after = theirs.iter().skip_while(|other| **other != listing).nth(1);
    result.next_cursor = match page["next"].as_str() {
        Some(next) => Some(format!("{}:{next}", listing.word())),
        None => after.map(|after| format!("{}:", after.word())),
    };
    result.cache_scope = Some(CacheScope::Private);
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_one_thing_or_nothing() {
        assert_eq!(watched("throughline://lanes/ln_1"), Some(Watched::Lane("ln_1".into())));
        assert_eq!(watched("throughline://lanes/ln_1/context"), Some(Watched::Lane("ln_1".into())));
        assert_eq!(watched("throughline://approvals/ap_1"), Some(Watched::Approval("ap_1".into())));
        for other in [
            "throughline://effects/fx_1",
            "throughline://lanes/",
            "throughline://lanes/a%2Fb",
            "throughline://lanes/ln_1/other",
            "throughline://lanes/%FF",
            "https://lanes/ln_1",
            "",
        ] {
            assert_eq!(watched(other), None, "{other}");
        }
    }
}
