import HTTPMessages
import RequestAuthorization
import Testing

@testable import AuthorizationDoors

/// Requests that proxies describe in their forward-auth requests.
struct DoorRequestReaderTests {
    private static let original = [
        "X-Original-Method: POST", "X-Original-URI: /orders/7?x=%20", "X-Original-Host: api.example:8443",
        "X-Original-Proto: https",
    ]
    private static let forwarded = [
        "X-Forwarded-Method: POST", "X-Forwarded-Uri: /orders/7?x=%20", "X-Forwarded-Host: api.example:8443",
        "X-Forwarded-Proto: https",
    ]
    private static let request = "POST /orders/7?x=%20 HTTP/1.1\r\nHost: api.example:8443\r\n"

    /// Head of a forward-auth request, with the door's own request line and host.
    private static func question(
        _ fields: [String], at door: DoorKind, line: String = "GET /door HTTP/1.1", host: String = "door.internal"
    ) throws -> RequestHead {
        var parser = RequestHeadParser(limits: HeadLimits().ofQuestion(at: door))
        let text = ([line, "Host: " + host] + fields + ["", ""]).joined(separator: "\r\n")
        #expect(try parser.parse(Array(text.utf8).span) == .complete)
        var head = RequestHeadParser().head
        parser.exchange(for: &head)
        return head
    }

    /// Text of the judged request, or the reason of the answer.
    private static func judged(_ fields: [String], at door: DoorKind, limits: HeadLimits = HeadLimits()) throws
        -> String
    {
        var head = try question(fields, at: door)
        return answer(&head, door, limits)
    }

    private static func answer(_ head: inout RequestHead, _ door: DoorKind, _ limits: HeadLimits = HeadLimits())
        -> String
    {
        var reader = DoorRequestReader(limits: limits)
        let before = head.bytes
        do throws(Rejection) {
            try reader.read(&head, at: door)
            return String(decoding: head.bytes, as: UTF8.self)
        } catch {
            #expect(head.bytes == before)
            return error.reason.label
        }
    }

    private static func stated(at door: DoorKind) -> [String] {
        switch door {
        case .nginx, .haproxy: original
        case .traefik, .caddy: forwarded
        case .envoyHTTP: ["X-Forwarded-Proto: https"]
        // A gRPC message describes the request itself.
        case .envoyGRPC: []
        }
    }

    private static let byFields = DoorKind.allCases.filter { $0.fields != nil }

    // MARK: What is read

    @Test(arguments: byFields)
    func `the request is built from the stating headers and the client's own`(door: DoorKind) throws {
        let own = ["Authorization: Bearer a.b.c", "Accept: */*", "accept: text/html", "X-Forwarded-For: 192.0.2.7"]
        #expect(
            try Self.judged(Self.stated(at: door) + own, at: door) == Self.request + own.joined(separator: "\r\n")
                + "\r\n\r\n")
    }

    @Test func `for Envoy over HTTP, the forward-auth request itself is the checked request`() throws {
        var head = try Self.question(
            ["x-forwarded-proto: https", "authorization: Bearer a"], at: .envoyHTTP,
            line: "POST /orders/7?x=%20 HTTP/1.1",
            host: "api.example:8443")
        let expected = Self.request + "x-forwarded-proto: https\r\nauthorization: Bearer a\r\n\r\n"
        #expect(Self.answer(&head, .envoyHTTP) == expected)
    }

    @Test(arguments: DoorKind.allCases.filter { !$0.asksByMessage })
    func `headers that describe the request at another door are ignored (T491)`(door: DoorKind) throws {
        for other in [Self.original, Self.forwarded] where !other.contains(where: Self.stated(at: door).contains) {
            let planted = other.map {
                $0.replacing("POST", with: "GET").replacing("/orders/7", with: "/public").replacing("api.", with: "b.")
            }
            #expect(try Self.judged(planted, at: door) == "door_request_invalid")
            guard door != .envoyHTTP else { continue }
            for fields in [planted + Self.stated(at: door), Self.stated(at: door) + planted] {
                #expect(try Self.judged(fields, at: door).hasPrefix(Self.request))
            }
        }
    }

    @Test func `headers of the proxy's connection, and of a body that it does not send, are omitted`() throws {
        let fields = [
            "Connection: keep-alive, x-hop", "X-Hop: 1", "Transfer-Encoding: chunked", "TE: trailers",
            "Upgrade: websocket", "Accept: */*",
        ]
        #expect(
            try Self.judged(fields + Self.original, at: .nginx) == Self.request
                + "X-Hop: 1\r\nUpgrade: websocket\r\nAccept: */*\r\n\r\n")
        #expect(try Self.judged(["Content-Length: 7"] + Self.original, at: .nginx) == Self.request + "\r\n")
    }

    @Test(arguments: byFields)
    func `the target is read as the client sent it, with bytes above 0x7F even at its end`(door: DoorKind) throws {
        for target in ["/a|b[1]?q={\"x\":1}", "/caf\u{E9}?\u{E9}", "/voil\u{E0}", "/a?\u{E0}"] {
            let fields = Self.stated(at: door).map { $0.replacing("/orders/7?x=%20", with: target) }
            #expect(
                try Self.judged(fields, at: door) == Self.request.replacing("/orders/7?x=%20", with: target) + "\r\n")
        }
    }

    @Test(arguments: byFields)
    func `the error of an invalid target names its byte, and does not carry over to the next request`(door: DoorKind)
        throws
    {
        var reader = DoorRequestReader(limits: HeadLimits())
        var bad = try Self.question(
            Self.stated(at: door).map { $0.replacing("/orders/7?x=%20", with: "/a#b") }, at: door)
        #expect(throws: Rejection(.message(.badRequest))) { try reader.read(&bad, at: door) }
        #expect(reader.fault?.description == "a `#` in the target: byte 2 (0x23) of the target")
        var good = try Self.question(Self.stated(at: door), at: door)
        try reader.read(&good, at: door)
        #expect(reader.fault == nil)
    }

    @Test(arguments: byFields)
    func `bytes above 0x7F are refused in every stating header but the target's`(door: DoorKind) throws {
        let fields = Self.stated(at: door)
        for (index, field) in fields.enumerated() where index != 1 {
            var parser = RequestHeadParser(limits: HeadLimits().ofQuestion(at: door))
            let stated = Array(fields[..<index]) + [field + "\u{E9}"] + Array(fields[(index + 1)...])
            let text = (["GET /door HTTP/1.1", "Host: a"] + stated + ["", ""]).joined(separator: "\r\n")
            #expect(throws: RequestHeadRejection.field(.nonASCIIByte)) { try parser.parse(Array(text.utf8).span) }
        }
    }

    // MARK: What is refused

    @Test(arguments: byFields)
    func `a stating header that is missing, empty, duplicated or of another door is invalid (T490)`(door: DoorKind)
        throws
    {
        let fields = Self.stated(at: door)
        for index in fields.indices {
            func with(_ changed: [String]) throws -> String {
                try Self.judged(Array(fields[..<index]) + changed + Array(fields[(index + 1)...]), at: door)
            }
            let (name, value) = (fields[index].prefix { $0 != ":" }, fields[index].drop { $0 != ":" }.dropFirst(2))
            #expect(try with([]) == "door_request_invalid")
            #expect(try with(["\(name):"]) == "door_request_invalid")
            #expect(try with([fields[index], fields[index]]) == "door_request_invalid")
            #expect(try with([fields[index], "\(name.lowercased()): \(value)"]) == "door_request_invalid")
            // A lax server takes it for the stating header; here it is an ordinary one.
            #expect(try with(["\(name.replacing("-", with: "_")): \(value)"]) == "door_request_invalid")
            #expect(try with([fields[index], "Connection: \(name.lowercased())"]) == "door_request_invalid")
            // Beside the stating header it changes nothing.
            let lookAlike = "\(name.replacing("-", with: "_")): GET"
            #expect(try with([fields[index], lookAlike]) == Self.request + lookAlike + "\r\n\r\n")
        }
    }

    @Test(arguments: [
        ("POST", "/a b", "a", "http", "bad_request"), ("GET /public", "/a", "a", "http", "door_request_invalid"),
        ("POST", "/a HTTP/1.1", "a", "http", "bad_request"), ("GET, POST", "/a", "a", "http", "door_request_invalid"),
        ("POST", "/a", "a", "HTTP", "door_request_invalid"), ("POST", "/a", "a", "ws", "door_request_invalid"),
        ("POST", "/a", "a", "http, https", "door_request_invalid"), ("post", "/a", "a", "http", "bad_request"),
        ("POST", "a", "a", "http", "bad_request"), ("POST", "/a#b", "a", "http", "bad_request"),
        ("POST", "*", "a", "http", "bad_request"), ("POST", "/a", "a b", "http", "bad_request"),
        ("POST", "/a", "a, b", "http", "bad_request"), ("POST", "/a", "a/b", "http", "bad_request"),
        ("POST", "http://b/a", "a", "http", "bad_request"), ("CONNECT", "a:443", "a", "http", "method_not_allowed"),
        ("TRACE", "/a", "a", "http", "method_not_allowed"),
    ])
    func `requests that the data path refuses are refused at the door for the same reason`(
        method: String, target: String, host: String, scheme: String, reason: String
    ) throws {
        let fields = [
            "X-Original-Method: \(method)", "X-Original-URI: \(target)", "X-Original-Host: \(host)",
            "X-Original-Proto: \(scheme)",
        ]
        #expect(try Self.judged(fields, at: .nginx) == reason)
    }

    @Test(arguments: ["Authorization: Bearer a", "authorization: Bearer b"])
    func `a header that is there twice is read twice`(second: String) throws {
        let judged = try Self.judged(Self.original + ["Authorization: Bearer a", second], at: .nginx)
        #expect(judged == Self.request + "Authorization: Bearer a\r\n\(second)\r\n\r\n")
    }

    // MARK: Limits

    @Test func `the head limits apply to the checked request, not to the forward-auth request`() throws {
        var limits = HeadLimits()
        limits.target = 200
        limits.field = 100
        func uri(_ length: Int) -> [String] {
            Self.original.map {
                $0.hasPrefix("X-Original-URI") ? "X-Original-URI: /" + String(repeating: "a", count: length - 1) : $0
            }
        }
        #expect(try Self.judged(uri(200), at: .nginx, limits: limits).hasPrefix("POST /aaa"))
        #expect(try Self.judged(uri(201), at: .nginx, limits: limits) == "target_too_long")
        let longest = "X: " + String(repeating: "b", count: 100)
        #expect(try Self.judged(Self.original + [longest], at: .nginx, limits: limits).hasSuffix(longest + "\r\n\r\n"))
        #expect(try Self.judged(Self.original + [longest + "b"], at: .nginx, limits: limits) == "head_too_large")
        limits.fields = 3
        #expect(
            try Self.judged(Self.original + ["A: 1", "B: 2"], at: .nginx, limits: limits).hasSuffix("B: 2\r\n\r\n"))
        #expect(
            try Self.judged(Self.original + ["A: 1", "B: 2", "C: 3"], at: .nginx, limits: limits) == "head_too_large")
    }

    @Test(arguments: DoorKind.allCases)
    func `a forward-auth request cut off anywhere in its stating headers is refused`(door: DoorKind) throws {
        let fields = Self.stated(at: door)
        for index in fields.indices {
            let name = fields[index].prefix { $0 != ":" }.count
            for length in 0..<name {
                let cut = Array(fields[..<index]) + (length == 0 ? [] : ["\(fields[index].prefix(length)): x"])
                #expect(try Self.judged(cut, at: door) == "door_request_invalid")
            }
        }
    }

    @Test func `one reader reads several forward-auth requests in turn`() throws {
        var reader = DoorRequestReader(limits: HeadLimits())
        for _ in 0..<3 {
            var head = try Self.question(Self.original, at: .nginx)
            try reader.read(&head, at: .nginx)
            #expect(String(decoding: head.bytes, as: UTF8.self) == Self.request + "\r\n")
            var bad = try Self.question(Self.original.map { $0.replacing("POST", with: "post") }, at: .nginx)
            #expect(throws: Rejection(.message(.badRequest))) { try reader.read(&bad, at: .nginx) }
        }
    }
}
