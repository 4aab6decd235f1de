-- Sends the requests of a file in rotation, at full speed or paced, and ends with one line of JSON.
--
-- Arguments: the file (one request a line: method, target, token; separated by tabs), the size of the body in bytes, and the rate in
-- requests a second (0: as fast as the answers come back).
local ffi = require("ffi")
ffi.cdef [[
    typedef struct { long seconds; long nanoseconds; } timespec_t;
    int clock_gettime(int clock, timespec_t *time);
]]
local MONOTONIC = 1
local moment = ffi.new("timespec_t")
local requests, turn, nextSlot, interval = {}, 0, 0, 0

local function milliseconds()
    ffi.C.clock_gettime(MONOTONIC, moment)
    return tonumber(moment.seconds) * 1e3 + tonumber(moment.nanoseconds) / 1e6
end

function init(arguments)
    local size, rate = tonumber(arguments[2]), tonumber(arguments[3])
    local length = size > 0 and "Content-Length: " .. size .. "\r\n" or ""
    local body = string.rep("x", size)
    for line in io.lines(arguments[1]) do
        local method, target, token = line:match("^(%S+)\t(%S+)\t(%S+)$")
        requests[#requests + 1] = method .. " " .. target .. " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " .. token .. "\r\n"
            .. length .. "\r\n" .. body
    end
    if rate > 0 then
        interval = 1e3 / rate
        -- Only defined when wanted: wrk asks every connection for a pause as soon as the function exists.
        function delay()
            local now = milliseconds()
            -- A slot that could not be kept is made up for, but no more than a tenth of a second of them.
            nextSlot = math.max(nextSlot + interval, now - 100)
            return math.max(0, math.floor(nextSlot - now + 0.5))
        end
    end
end

function request()
    turn = turn % #requests + 1
    return requests[turn]
end

function done(summary, latency)
    local errors, counts = summary.errors, {}
    -- Every latency in microseconds that occurred, and how often.
    for index = 1, #latency do
        counts[index] = string.format("[%d, %d]", latency(index))
    end
    print(string.format(
        '{"answered": %d, "microseconds": %d, "bytes": %d, "refused": %d, "broken": %d, "latencies": [%s]}',
        summary.requests, summary.duration, summary.bytes, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
        table.concat(counts, ", ")))
end
