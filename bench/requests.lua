-- Sends the requests of a file in sequence and prints the result as one line of JSON.
-- Each line of the file has four fields separated by tabs: method, path, token and body; token and body may be empty.
-- The token of a browser session is sent as its cookie.
-- Arguments: the file; "statuses" to count the responses by status, which slows the load generator down; "once" to
-- stop after the last request of the file instead of starting again.

local ffi = require("ffi")
ffi.cdef("typedef struct { long seconds; long nanoseconds; } Time; int clock_gettime(int clock, Time *time);")

local requests = {}
local index = 0
local once = false
statuses = {}
-- The time from the first request to the last, in microseconds, if "once" ended the run early. wrk itself reports the time
-- that the run should have taken.
onceUs = 0
local beganUs = 0
local threads = {}

local function nowUs()
  local time = ffi.new("Time")
  ffi.C.clock_gettime(1, time)
  return tonumber(time.seconds) * 1e6 + tonumber(time.nanoseconds) / 1e3
end

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  for line in io.lines(args[1]) do
    local method, path, token, body = line:match("^([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)$")
    local headers = {}
    if token:sub(1, 3) == "pb_" then
      headers["Cookie"] = "potluck-" .. wrk.port .. "=" .. token
    elseif token ~= "" then
      headers["Authorization"] = "Bearer " .. token
    end
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
  if once and index == 0 then beganUs = nowUs() end
  if once and index == #requests then
    onceUs = nowUs() - beganUs
    wrk.thread:stop()
  end
  index = index % #requests + 1
  return requests[index]
end

local function statusCounts()
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
  local once = threads[1]:get("onceUs")
  print(string.format(
    'RESULT {"requests":%d,"durationUs":%d,"p50Us":%d,"p99Us":%d,"maxUs":%d,"statuses":{%s},'
      .. '"errors":{"connect":%d,"read":%d,"write":%d,"timeout":%d,"status":%d}}',
    summary.requests, once > 0 and once or summary.duration, latency:percentile(50), latency:percentile(99), latency.max, statusCounts(),
    errors.connect, errors.read, errors.write, errors.timeout, errors.status))
end
