-- Sends the requests of a prepared file one after the other, and prints what came of them as one line of JSON.
-- Each line of the file: method, path, token, body, with tabs between; what is not there is empty.
-- Arguments: the file; "statuses" to count the responses by status, which costs the load generator some time; "once" to
-- stop after the last request of the file instead of beginning again.

local requests = {}
local at = 0
local once = false
statuses = {}
local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  for line in io.lines(args[1]) do
    local method, path, token, body = line:match("^([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)$")
    local headers = {}
    if token ~= "" then headers["Authorization"] = "Bearer " .. token end
    if body ~= "" then headers["Content-Type"] = "application/json" end
    table.insert(requests, wrk.format(method, path, headers, body ~= "" and body or nil))
  end
  for i = 2, #args do
    if args[i] == "once" then once = true end
    if args[i] == "statuses" then
      response = function(status)
        statuses[status] = (statuses[status] or 0) + 1
      end
    end
  end
end

function request()
  if once and at == #requests then wrk.thread:stop() end
  at = at % #requests + 1
  return requests[at]
end

local function counted()
  local parts = {}
  for _, thread in ipairs(threads) do
    for status, count in pairs(thread:get("statuses")) do
      table.insert(parts, string.format('"%d":%d', status, count))
    end
  end
  return table.concat(parts, ",")
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    'RESULT {"requests":%d,"durationUs":%d,"p50Us":%d,"p99Us":%d,"maxUs":%d,"statuses":{%s},'
      .. '"errors":{"connect":%d,"read":%d,"write":%d,"timeout":%d,"status":%d}}',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), latency.max, counted(),
    errors.connect, errors.read, errors.write, errors.timeout, errors.status))
end
