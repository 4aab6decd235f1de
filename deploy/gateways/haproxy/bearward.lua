-- Bearward judges requests for HAProxy: `http-request lua.bearward` asks the door of `kind: haproxy`.
--
-- The answer counts only if it is marked by `X-Bearward-Verdict`: `allow` lets the request through, `answer` is what the client
-- gets, and everything else, a judge that is down, slow or not understood, is 503.
--
-- In `global` of haproxy.cfg, because HAProxy 2.6 gives a script no arguments:
--   setenv BEARWARD_DOOR http://127.0.0.1:9193/
--   setenv BEARWARD_TIMEOUT 2500
--   lua-load-per-thread bearward.lua

local door = os.getenv("BEARWARD_DOOR") or error("BEARWARD_DOOR is not set: no door to ask at")
-- In milliseconds. HAProxy 2.6 tries four times, so that a client waits at most four times as long.
local timeout = tonumber(os.getenv("BEARWARD_TIMEOUT") or 2500) or error("BEARWARD_TIMEOUT is no number")

-- About the connection, or a body that is not sent; and what only this script states.
local left_out = {
    ["host"] = true, ["connection"] = true, ["keep-alive"] = true, ["proxy-connection"] = true, ["te"] = true, ["trailer"] = true,
    ["transfer-encoding"] = true, ["upgrade"] = true, ["content-length"] = true, ["expect"] = true, ["x-original-method"] = true,
    ["x-original-uri"] = true, ["x-original-host"] = true, ["x-original-proto"] = true, ["x-forwarded-for"] = true,
}

-- What ends at this hop of an answer, or is for this script alone.
local kept_back = {
    ["connection"] = true, ["keep-alive"] = true, ["transfer-encoding"] = true, ["content-length"] = true, ["x-bearward-verdict"] = true,
}

-- The values of a field, which HAProxy numbers from 0.
local function values(list)
    local found = {}
    local index = list and list[0] and 0 or 1
    while list and list[index] do
        found[#found + 1] = list[index]
        index = index + 1
    end
    return found
end

-- A name as a reader sees it that takes any other character for a hyphen.
local function folded(name)
    return (name:lower():gsub("[^%w]", "-"))
end

-- When the log last had a line of this thread.
local logged = 0

-- Says why a client gets 503, at most once a second.
local function log(txn, cause)
    local now = core.now().sec
    if now == logged then return end
    logged = now
    txn:log(core.warning, "bearward: no verdict from " .. door .. ", clients get 503: " .. cause)
end

local function refuse(txn)
    local reply = txn:reply({ status = 503, reason = "Service Unavailable" })
    reply:add_header("Content-Type", "application/problem+json")
    reply:add_header("Cache-Control", "no-store")
    reply:add_header("Retry-After", "1")
    reply:set_body('{"type":"about:blank","title":"Service Unavailable","status":503}')
    txn:done(reply)
end

local function question(txn)
    local fields = {}
    local forwarded = {}
    for name, list in pairs(txn.http:req_get_headers()) do
        local found = values(list)
        if name == "x-forwarded-for" then
            forwarded = found
        elseif not left_out[name] then
            fields[name] = found
        end
    end
    local host = txn.sf:req_fhdr("host")
    forwarded[#forwarded + 1] = txn.sf:src()
    fields["x-forwarded-for"] = { table.concat(forwarded, ", ") }
    fields["x-original-method"] = { txn.sf:method() }
    fields["x-original-uri"] = { txn.sf:url() }
    fields["x-original-host"] = { host }
    fields["x-original-proto"] = { txn.f:ssl_fc() == 1 and "https" or "http" }
    -- What opens a WebSocket is judged by its origin too. No other upgrade is forwarded.
    if txn:get_var("txn.websocket") then fields["upgrade"] = { "websocket" } end
    return fields
end

-- Puts what was permitted into the request: first everything is removed that only Bearward may state.
local function permit(txn, answer)
    local removed = {}
    for _, list in ipairs(values(answer["x-bearward-remove"])) do
        for name in list:gmatch("[^, ]+") do removed[folded(name)] = name end
    end
    for name, _ in pairs(txn.http:req_get_headers()) do
        if removed[folded(name)] then txn.http:req_del_header(name) end
    end
    for _, name in pairs(removed) do
        local stated = not kept_back[name:lower()] and answer[name:lower()] or nil
        for _, value in ipairs(values(stated)) do txn.http:req_add_header(name, value) end
    end
end

local function relay(txn, response)
    local reply = txn:reply({ status = response.status, reason = response.reason })
    for name, list in pairs(response.headers) do
        if not kept_back[name] then
            for _, value in ipairs(values(list)) do reply:add_header(name, value) end
        end
    end
    -- An answer to HEAD has no content, whatever it announces.
    if response.body and txn.sf:method() ~= "HEAD" then reply:set_body(response.body) end
    txn:done(reply)
end

core.register_action("bearward", { "http-req" }, function(txn)
    local ok, response = pcall(function()
        return core.httpclient():get({ url = door, headers = question(txn), timeout = timeout })
    end)
    local verdict = ok and response and response.headers and values(response.headers["x-bearward-verdict"])
    if not verdict or #verdict ~= 1 then
        log(txn, not ok and tostring(response) or "status " .. tostring(response and response.status))
        return refuse(txn)
    end
    if verdict[1] == "allow" and response.status == 200 then
        permit(txn, response.headers)
        txn:set_var("txn.bearward", "allow")
        return
    end
    if verdict[1] == "answer" then return relay(txn, response) end
    log(txn, "a verdict that is none")
    return refuse(txn)
end, 0)
