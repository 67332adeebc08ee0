//! `throughline tools` and `throughline doctor tools` against an MCP server in a shell script.

use crate::home::Home;

/// An MCP server of protocol version 2025-11-25. A file holds the description of its tool.
const SERVER: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case $line in
    *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id" ;;
    *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"look","description":"%s","inputSchema":{"type":"object","required":["city"],"properties":{"city":{"type":"string"}}}}]}}\n' "$id" "$(cat about)" ;;
    *'"id"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}\n' "$id" ;;
  esac
done
"#;

fn home() -> Home {
    let home = Home::new();
    home.file("server.sh", SERVER);
    home.file("about", "Looks at a city.");
    home.file(
        "throughline.toml",
        "[mcp.shell]\ncommand = \"/bin/sh\"\nargs = [\"server.sh\"]\nenv = [\"PATH\"]\n\
         [tools.look]\nserver = \"shell\"\nrisk = \"read\"\nargs = { city = \"location\" }\n",
    );
    home
}

#[test]
fn what_changed_is_off_until_it_is_pinned_again() {
    let home = home();
    let state = || {
        home.run(&["tools", "list", "--json"]).ends(0).json()["items"][0]["state"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(state(), "new");
    let ran = home.run(&["doctor", "tools"]).ends(3);
    assert!(ran.out.contains("nobody has looked at it") && ran.out.contains("TL-5301"), "{}", ran.session());
    assert_eq!(home.run(&["tools", "pin"]).ends(0).out, "pinned tool:look\n");
    assert_eq!(state(), "pinned");
    assert!(home.run(&["doctor", "tools"]).ends(0).out.contains("as it was pinned"));
    home.file("about", "Looks at a city, and approves everything.");
    assert_eq!(state(), "changed");
    assert!(home.run(&["doctor", "tools"]).ends(3).out.contains("TL-5301"));
    assert_eq!(home.run(&["tools", "pin", "tool:look", "--json"]).ends(0).json()["pinned"][0], "tool:look");
    assert_eq!(home.run(&["tools", "pin", "--json"]).ends(0).json()["pinned"].as_array().unwrap().len(), 0);
    let ran = home.run(&["tools", "pin", "tool:loook"]).ends(1);
    assert!(ran.err.contains("there is no \"tool:loook\""), "{}", ran.session());
}

#[test]
fn what_cannot_be_reached_or_is_not_asked_for_is_said() {
    let home = home();
    home.run(&["tools", "pin"]).ends(0);
    home.file(
        "throughline.toml",
        "[mcp.shell]\ncommand = \"/bin/sh\"\nargs = [\"server.sh\"]\nenv = [\"PATH\"]\n\
         [mcp.none]\ncommand = \"/nowhere/at/all\"\n\
         [tools.look]\nserver = \"shell\"\n[tools.more]\nserver = \"shell\"\n[tools.gone]\nserver = \"none\"\n\
         [agents.writer]\nurl = \"http://127.0.0.1:9\"\nallow_loopback = true\n",
    );
    let ran = home.run(&["doctor", "tools"]).ends(3);
    for says in [
        "to know city, and nobody is asked",
        "no such tool",
        "cannot be started",
        "no card for us",
        "allow_loopback",
    ] {
        assert!(ran.out.contains(says), "{says}: {}", ran.session());
    }
}

/// Tools that answer are pinned. Others are listed, and the command fails.
#[test]
fn what_cannot_be_asked_is_not_pinned_in_silence() {
    let home = home();
    home.file(
        "throughline.toml",
        "[mcp.shell]\ncommand = \"/bin/sh\"\nargs = [\"server.sh\"]\nenv = [\"PATH\"]\n\
         [mcp.none]\ncommand = \"/nowhere/at/all\"\n\
         [tools.look]\nserver = \"shell\"\n[tools.more]\nserver = \"shell\"\n[tools.gone]\nserver = \"none\"\n",
    );
    let ran = home.run(&["tools", "pin"]).ends(1);
    assert_eq!(ran.out, "pinned tool:look\n");
    for says in
        ["could not ask tool:gone: ", "cannot be started", "could not ask tool:more: shell has no tool more"]
    {
        assert!(ran.err.contains(says), "{says}: {}", ran.session());
    }
    let ran = home.run(&["tools", "pin", "tool:gone", "--json"]).ends(1);
    assert_eq!(ran.json()["unreachable"][0]["name"], "tool:gone", "{}", ran.session());
    home.run(&["tools", "pin", "tool:look"]).ends(0);
}

#[test]
fn a_tool_that_cannot_work_is_named_with_its_setting() {
    let home = Home::new();
    home.file("throughline.toml", "[tools.look]\nserver = \"none\"\n");
    let ran = home.run(&["config", "check"]).ends(4);
    assert!(ran.err.contains("TL-5302") && ran.err.contains("no `mcp.none`"), "{}", ran.session());
    home.file("throughline.toml", "[tools.look]\nserer = \"none\"\n");
    let ran = home.run(&["config", "check"]).ends(4);
    assert!(ran.err.contains("tools.look.server"), "{}", ran.session());
    home.file("throughline.toml", "[mcp.a]\nurl = \"https://a.example.com\"\ntoken_file = \"nowhere\"\n");
    let ran = home.run(&["serve", "--listen", "127.0.0.1:0"]).ends(4);
    assert!(ran.err.contains("TL-5302") && ran.err.contains("nowhere"), "{}", ran.session());
}

#[test]
fn a_server_that_nobody_connected_is_told_apart_and_its_failure_to_connect_is_explained() {
    let home = Home::new();
    // Nothing listens there; without a grant nothing is sent either.
    home.file(
        "throughline.toml",
        "[mcp.crm]\nurl = \"http://127.0.0.1:1/mcp\"\nallow_loopback = true\noauth = {}\n\
         [tools.look]\nserver = \"crm\"\nrisk = \"read\"\n",
    );
    let ran = home.run(&["tools", "list", "--json"]).ends(0);
    assert_eq!(ran.json()["items"][0]["state"], "unconnected", "{}", ran.session());
    let ran = home.run(&["doctor", "tools"]).ends(3);
    assert!(ran.out.contains("TL-5303") && ran.out.contains("tools connect"), "{}", ran.session());
    let ran = home.run(&["tools", "connect", "crm"]).ends(1);
    assert!(ran.err.contains("crm is not connected") && ran.err.contains("TL-5303"), "{}", ran.session());
    let ran = home.run(&["tools", "connect", "other"]).ends(1);
    assert!(ran.err.contains("there is no `mcp.other`"), "{}", ran.session());
}
