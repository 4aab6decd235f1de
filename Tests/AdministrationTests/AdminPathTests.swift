import HTTPTypes
import Testing

@testable import Administration

/// Each path of the admin listener that changes something or names persons, with each kind of request it refuses.
struct AdminPathTests {
    /// A path with the operation that a permitted request reaches.
    struct Place: Sendable, CustomTestStringConvertible {
        let method: HTTPRequest.Method
        let path: String
        let operation: String
        /// Status of a permitted request, in the stage.
        var status = 200
        /// Action whose refusals are logged. Nil if none are.
        var action: String?

        var testDescription: String { "\(method) \(path)" }
    }

    static let places = [
        Place(method: .post, path: "/api/upstreams/drain?target=a:1", operation: "drain", status: 404),
        Place(method: .post, path: "/api/upstreams/return?target=a:1", operation: "return", status: 404),
        Place(method: .post, path: "/issuers/logto/refresh", operation: "refresh"),
        Place(method: .get, path: "/api/denials", operation: "list admin.token_file", action: "list"),
        Place(method: .post, path: "/api/denials", operation: "add admin.token_file", action: "add"),
        Place(method: .post, path: "/api/denials/remove", operation: "remove admin.token_file", action: "remove"),
        Place(method: .get, path: "/api/refusals", operation: "refusals"),
        Place(method: .get, path: "/api/callers", operation: "callers"),
        Place(method: .get, path: "/api/passed?resource=a&rule=b", operation: "passed"),
    ]

    /// Differences of a refused request from a permitted one.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: Int
        var host: String? = "127.0.0.1:9901"
        var authorization: String? = "Bearer \(AdminStage.token)"
        var field: (name: String, value: String)?
        /// The token of `admin.token_file`. Nil if the file has none.
        var token: String? = AdminStage.token
    }

    static let faults = [
        Fault(testDescription: "no token", status: 401, authorization: nil),
        Fault(testDescription: "another token", status: 401, authorization: "Bearer \(AdminStage.token)0"),
        Fault(testDescription: "no token in the file", status: 403, token: nil),
        Fault(testDescription: "another name", status: 421, host: "evil.example"),
        Fault(testDescription: "no host", status: 421, host: nil),
        Fault(testDescription: "another origin", status: 403, field: ("Origin", "http://evil.example")),
        Fault(testDescription: "an opaque origin", status: 403, field: ("Origin", "null")),
        Fault(testDescription: "another site", status: 403, field: ("Sec-Fetch-Site", "cross-site")),
        Fault(testDescription: "another port", status: 403, field: ("Sec-Fetch-Site", "same-site")),
        Fault(testDescription: "Forwarded", status: 403, field: ("Forwarded", "for=127.0.0.1")),
        Fault(testDescription: "Via", status: 403, field: ("Via", "1.1 proxy")),
        Fault(testDescription: "X-Forwarded-For", status: 403, field: ("X-Forwarded-For", "127.0.0.1")),
    ]
    static let good = Fault(testDescription: "nothing", status: 200)

    private static func head(_ method: HTTPRequest.Method, _ path: String, _ fault: Fault = good) throws -> HTTPRequest
    {
        var head = HTTPRequest(method: method, scheme: "http", authority: fault.host, path: path)
        head.headerFields[.authorization] = fault.authorization
        head.headerFields[.contentType] = "application/json"
        if let (name, value) = fault.field { head.headerFields[try #require(HTTPField.Name(name))] = value }
        return head
    }

    @Test(arguments: places) func `a request with the admin token is served, also of the listener's own page`(
        place: Place
    ) async throws {
        let stage = AdminStage()
        var head = try Self.head(place.method, place.path)
        let served = try await stage.answer(to: head)
        #expect(served.status == place.status && served.notes == [place.operation])
        head.headerFields[.origin] = "http://127.0.0.1:9901"
        head.headerFields[try #require(HTTPField.Name("Sec-Fetch-Site"))] = "same-origin"
        let page = try await stage.answer(to: head)
        #expect(page.status == place.status && page.notes == [place.operation])
    }

    @Test(arguments: places, faults)
    func `a request that is refused reaches nothing, and the deny list's log has its status`(
        place: Place, fault: Fault
    ) async throws {
        let answer = try await AdminStage().answer(
            to: try Self.head(place.method, place.path, fault), token: fault.token)
        #expect(answer.status == fault.status)
        #expect(answer.notes == (place.action.map { ["\($0) nobody \(fault.status)"] } ?? []))
        #expect(answer.body.hasPrefix(#"{"error":""#) && !answer.body.contains(AdminStage.token))
    }

    @Test(arguments: [("/api/denials", "add"), ("/api/denials/remove", "remove")], [nil, "text/plain", "text/json"])
    func `an entry that is not sent as JSON is 415, and logged as the operator's`(
        place: (path: String, action: String), type: String?
    ) async throws {
        var head = try Self.head(.post, place.path)
        head.headerFields[.contentType] = type
        let answer = try await AdminStage().answer(to: head)
        #expect(answer.status == 415)
        #expect(answer.notes == ["\(place.action) admin.token_file 415"])
        head.headerFields[.authorization] = nil
        #expect(try await AdminStage().answer(to: head).status == 401)
    }

    @Test(arguments: ["/api/upstreams", "/api/configuration"])
    func `answers without persons need an address as the host, and no more`(path: String) async throws {
        for fault in Self.faults {
            let answer = try await AdminStage().answer(to: try Self.head(.get, path, fault), token: fault.token)
            #expect(answer.status == (fault.status == 421 ? 421 : 200), "\(fault)")
        }
    }

    @Test func `a target change without a target is 400, but only to an operator`() async throws {
        var head = try Self.head(.post, "/api/upstreams/drain?resource=orders")
        #expect(try await AdminStage().answer(to: head).status == 400)
        head.headerFields[.authorization] = nil
        #expect(try await AdminStage().answer(to: head).status == 401)
    }

    @Test func `who passed a rule is asked by its names, and needs both`() async throws {
        let path = "/api/passed?resource=https%3A%2F%2Fshop.example%2Fapi%3Fv=2&rule=GET%20/items/%7Bid%7D"
        let answer = try await AdminStage().answer(to: try Self.head(.get, path))
        #expect(
            answer.body
                == #"{"seconds":3600,"unlisted":2,"callers":[{"kind":"client","issuer":"idp","#
                + #""name":"https://shop.example/api?v=2 GET /items/{id}","count":3,"error":1}]}"#)
        for path in ["/api/passed", "/api/passed?resource=a", "/api/passed?rule=b"] {
            let answer = try await AdminStage().answer(to: try Self.head(.get, path))
            #expect(answer.status == 400 && answer.notes.isEmpty, "\(path)")
        }
    }
}
