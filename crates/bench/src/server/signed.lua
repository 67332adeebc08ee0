-- The load of B8 for wrk as Slack: POST /slack/events. Each line of a file is an event that was signed before the clock ran:
-- its time, its signature, its body.
-- Argument: the file.

function init(arguments)
  lines = io.lines(arguments[1])
  headers = { ["Content-Type"] = "application/json" }
end

function request()
  local line = lines and lines()
  if not line then
    -- None is left: that fails the run, for an event that comes again is no load.
    lines = nil
    return wrk.format("GET", "/too-few-events-were-signed")
  end
  local seconds, signature, body = line:match("^(%S+) (%S+) (.*)$")
  headers["X-Slack-Request-Timestamp"] = seconds
  headers["X-Slack-Signature"] = signature
  return wrk.format("POST", "/slack/events", headers, body)
end
