-- The load of B8 for wrk: POST /v1/events, each with an Idempotency-Key of its own, over many conversations.
-- Arguments: the bearer token, a word that no other run has, how many conversations, the header Prefer or nothing.

local threads = 0

function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

function init(arguments)
  run = arguments[2]
  lanes = tonumber(arguments[3])
  sent = 0
  headers = {
    ["Authorization"] = "Bearer " .. arguments[1],
    ["Content-Type"] = "application/json",
  }
  if arguments[4] ~= "" then
    headers["Prefer"] = arguments[4]
  end
end

function request()
  sent = sent + 1
  local key = run .. "-" .. number .. "-" .. sent
  headers["Idempotency-Key"] = key
  local body = BODY:gsub("CONVERSATION", "c" .. ((sent * 7 + number) % lanes))
  return wrk.format("POST", "/v1/events", headers, body)
end
