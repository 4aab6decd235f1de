import HTTPMessages
import Testing

@testable import AuthorizationDoors
@testable import RequestAuthorization

/// The answer to a proxy that may forward.
struct DoorPermissionTests {
    private static let edits = HeaderEdits(
        identityFields: [FieldName(fixed: "X-Auth-Subject"), FieldName(fixed: "X-Auth-Scope")],
        tokenFields: [FieldName(fixed: "X-Token")])

    static func permission(
        _ door: DoorKind, keepsToken: Bool = false, fields: [String] = [], isOfTrusted: Bool = false
    ) throws -> DoorPermission {
        var parser = RequestHeadParser()
        let text = (["GET / HTTP/1.1", "Host: a", "Authorization: Bearer a.b.c"] + fields + ["", ""]).joined(
            separator: "\r\n")
        #expect(try parser.parse(Array(text.utf8).span) == .complete)
        let forwarding = Forwarding(
            upstream: nil, pathStart: 0, strippedPrefix: nil, keepsAuthorization: keepsToken, tokenField: nil,
            identityFields: Array("X-Auth-Subject: mira\r\n".utf8), spread: nil)
        return DoorPermission(forwarding, of: parser.head, edits, at: door, isOfTrusted: isOfTrusted)
    }

    private static func answer(_ door: DoorKind, keepsToken: Bool = false) throws -> [String] {
        let permission = try permission(door, keepsToken: keepsToken)
        var writer = HeadWriter()
        let terms = AnswerTerms(
            date: Array("Tue, 01 Jan 2030 00:00:00 GMT".utf8), requestID: Array("7".utf8), fate: .keep,
            form: door.answerForm)
        permission.write(into: &writer, terms)
        return String(decoding: writer.bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
            .filter { !$0.hasPrefix("date") && !$0.hasPrefix("x-request-id") }
    }

    @Test(arguments: [DoorKind.nginx, .traefik, .caddy])
    func `a proxy configured with the header names gets the identity, and no token`(door: DoorKind) throws {
        #expect(try Self.answer(door) == ["HTTP/1.1 200 OK", "X-Auth-Subject: mira", "content-length: 0"])
        #expect(
            try Self.answer(door, keepsToken: true) == [
                "HTTP/1.1 200 OK", "X-Auth-Subject: mira", "Authorization: Bearer a.b.c", "content-length: 0",
            ])
    }

    /// Headers that the data path never forwards.
    private static let never = [
        "HTTP2-Settings", "Proxy", "X-HTTP-Method", "X-HTTP-Method-Override", "X-Method-Override", "X-Original-URL",
        "X-Rewrite-URL",
    ]

    @Test func `HAProxy gets the names of all headers that it must remove`() throws {
        let lines = try Self.answer(.haproxy, keepsToken: true)
        #expect(
            Array(lines.prefix(4)) == [
                "HTTP/1.1 200 OK", "x-bearward-verdict: allow", "X-Auth-Subject: mira", "Authorization: Bearer a.b.c",
            ])
        let removed = try #require(lines.first { $0.hasPrefix("x-bearward-remove: ") }).dropFirst(19).split(
            separator: ", "
        ).sorted()
        #expect(
            removed.map(String.init)
                == (Self.never + [
                    "Authorization", "Connection", "Upgrade", "X-Auth-Scope", "X-Auth-Subject", "X-Token",
                ]).sorted())
    }

    @Test func `Envoy gets a removal list without the headers that are set, because it removes last`() throws {
        func removed(_ lines: [String]) throws -> [String] {
            let line = try #require(lines.first { $0.hasPrefix("x-envoy-auth-headers-to-remove: ") })
            return line.dropFirst(32).split(separator: ", ").map(String.init).sorted()
        }
        #expect(
            try removed(Self.answer(.envoyHTTP))
                == (Self.never + ["Authorization", "X-Auth-Scope", "X-Token"]).sorted())
        #expect(
            try removed(Self.answer(.envoyHTTP, keepsToken: true))
                == (Self.never + ["X-Auth-Scope", "X-Token"]).sorted())
    }

    // MARK: Refusals

    private static func refusal(_ rejection: Rejection, form: AnswerForm) -> (lines: [String], content: String) {
        var writer = HeadWriter()
        let content = rejection.write(
            into: &writer, AnswerTerms(date: Array("D".utf8), requestID: Array("7".utf8), fate: .keep, form: form))
        let lines = String(decoding: writer.bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
        return (lines, String(decoding: content, as: UTF8.self))
    }

    @Test(arguments: RejectionReason.allCases.filter { if case .preflight = $0 { false } else { true } })
    func `nginx gets 401 or 403 for every refusal, with the client's status and body in headers`(
        reason: RejectionReason
    ) {
        let rejection = Rejection(reason, retryAfter: .seconds(7))
        let plain = Self.refusal(rejection, form: .client)
        let told = Self.refusal(rejection, form: .fields)
        #expect(told.content.isEmpty)
        #expect(told.lines.first == (reason.status == 401 ? "HTTP/1.1 401 Unauthorized" : "HTTP/1.1 403 Forbidden"))
        #expect(told.lines.contains("x-bearward-status: \(reason.status)"))
        #expect(told.lines.contains("x-bearward-body: \(plain.content)"))
        #expect(told.lines.contains("retry-after: 7"))
        #expect(told.lines.contains("content-length: 0"))
    }

    @Test func `HAProxy gets refusals marked as answers`() {
        let told = Self.refusal(Rejection(.gateway(.keysUnavailable)), form: .marked)
        #expect(told.lines.first == "HTTP/1.1 503 Service Unavailable")
        #expect(told.lines.contains("x-bearward-verdict: answer"))
        #expect(told.content.hasPrefix("{\"type\":\"about:blank\""))
    }
}
