-- For wrk: sends each request for the next person of a file, and prints the totals as JSON.
-- Arguments: "check-in" and a file of access tokens, or "ping" and a file of checks' codes.
local ffi = require("ffi")
ffi.cdef([[
    typedef struct { long seconds; long microseconds; } moment;
    int gettimeofday(moment *now, void *zone);
]])

local moment = ffi.new("moment")
local people = {}
local turn = 0
local build

-- A random UUID of version 4.
local function identifier()
    local random = math.random
    return string.format(
        "%04x%04x-%04x-4%03x-%04x-%04x%04x%04x",
        random(0, 65535), random(0, 65535), random(0, 65535), random(0, 4095),
        random(32768, 49151), random(0, 65535), random(0, 65535), random(0, 65535)
    )
end

local function timestamp()
    ffi.C.gettimeofday(moment, nil)
    return os.date("!%Y-%m-%dT%H:%M:%S", tonumber(moment.seconds))
        .. string.format(".%03dZ", tonumber(moment.microseconds) / 1000)
end

local function check_in(token)
    local headers = {
        ["Authorization"] = "Bearer " .. token,
        ["Content-Type"] = "application/json",
    }
    local body = '{"occurredAt":"' .. timestamp() .. '"}'
    return wrk.format("PUT", "/v1/check-ins/" .. identifier(), headers, body)
end

local function ping(code)
    return wrk.format("GET", "/ping/" .. code)
end

function init(arguments)
    build = arguments[1] == "ping" and ping or check_in
    for line in io.lines(arguments[2]) do
        people[#people + 1] = line
    end
    ffi.C.gettimeofday(moment, nil)
    math.randomseed(tonumber(moment.seconds) + tonumber(moment.microseconds))
    turn = math.random(#people)
end

function request()
    turn = turn % #people + 1
    return build(people[turn])
end

function done(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        '{"answers":%d,"seconds":%.6f,"p99":%.6f,"refused":%d,"broken":%d}\n',
        summary.requests, summary.duration / 1e6, latency:percentile(99) / 1e6, errors.status,
        errors.connect + errors.read + errors.write + errors.timeout
    ))
end
