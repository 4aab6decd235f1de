import AccessControl
import HTTPMessages
import TestSupport
import Testing
import TokenVerification

@testable import RequestAuthorization

/// Paths with `%2F` and `%25` below a resource whose upstream decodes nothing before routing.
struct OpaqueSlashTests {
    typealias Fixture = AuthorizerFixture

    private static let rules: [(String, AccessPolicy)] = [
        ("GET /projects/{id}", .requiring([.allScopes(["read"])])),
        ("GET /projects/{id}/issues", .requiring([.allScopes(["read"])])),
        ("GET /projects/admin", .requiring([.allScopes(["admin"])])),
        ("GET /projects/admin/**", .requiring([.allScopes(["admin"])])),
        ("GET /files/**", .requiring([.allScopes(["read"])])),
        ("GET /star/*", .requiring([.allScopes(["read"])])),
        ("GET /orgs/{org}/bills", .requiring([.organization(inPath: "org")])),
    ]

    private static func fixture(
        _ configure: (inout ProtectedResource) throws -> Void = { _ in }, other: EncodedSlashes = .refuse
    ) throws -> AuthorizerFixture {
        try Fixture(
            rules: rules,
            configure: {
                $0.encodedSlashes = .opaque
                try configure(&$0)
            }, other: { $0.encodedSlashes = other })
    }

    /// The forwarded path. Nil if the request is refused.
    private func forwarded(_ path: String, token: TestToken = .good, by fixture: AuthorizerFixture) throws -> String? {
        var request = try Fixture.request("GET \(path) HTTP/1.1", fields: [Fixture.bearer(token)])
        guard let forwarding = fixture.forwarding(request) else { return nil }
        _ = fixture.authorizer.authorize(&request, at: NumericDate(seconds: TestToken.now))
        return String(decoding: request.path.canonical[forwarding.pathStart...], as: UTF8.self)
    }

    @Test(arguments: [
        "/shop/projects/group%2Fproject", "/shop/projects/a%2Fb%2F/issues", "/shop/projects/a%252Fb",
        "/shop/projects/admin%2Fkeys",
        "/shop/projects/admin%2F", "/shop/projects/%2Fadmin", "/shop/projects/%61dmin%2F", "/shop/projects/100%25",
        "/shop/files/%2F/x",
        "/shop/files/a%2F%2Fb", "/shop/files/https:%2F%2Fx%2F%2541", "/shop/star/%2561dmin", "/shop/star/%2F",
    ])
    func `an opaque encoded slash is part of a segment, and is forwarded as received`(path: String) throws {
        #expect(try forwarded(path, by: Self.fixture()) == path.replacing("%61", with: "a"))
        #expect(try forwarded(path.replacing("%2F", with: "%2f"), by: Self.fixture()) != nil)
    }

    @Test(arguments: [
        "/shop/projects%2F7", "/shop/nothing/a%2Fb", "/shop/projects/a%2Fb/admin", "/shop/star/a%2Fb/c",
        "/shop/%2570rojects/7",
    ])
    func `no literal matches a segment with an encoded slash or a double-encoded escape`(path: String) throws {
        let request = try Fixture.request("GET \(path) HTTP/1.1", fields: [Fixture.bearer()])
        #expect(try Self.fixture().rejection(request)?.reason == .routing(.noRule))
    }

    @Test(
        arguments: [
            ("/shop/files/a%2F..%2Fb", RequestWalk.leadsElsewhere),
            ("/shop/files/..%2Fprojects", RequestWalk.leadsElsewhere),
            ("/shop/files/%252e%252E/b", RequestWalk.leadsElsewhere),
            ("/shop/files/a%252F.%252Fb", RequestWalk.leadsElsewhere),
            ("/shop/files/a%255Cb", RequestWalk.leadsElsewhere), ("/shop/files/a%250Ab", RequestWalk.leadsElsewhere),
            ("/shop/files/a%2F..%253bx%2Fb", RequestWalk.leadsElsewhere),
            // No opaque segment matches a segment of a place.
            ("/shop%2Fprojects/7", RequestWalk.noPlace), ("/%2Fshop/projects/7", RequestWalk.noPlace),
            ("/%2573hop/projects/7", PathRejection.doubleEncoding.hint),
            // Paths that are always refused.
            ("/shop/files/a%5Cb", PathRejection.encodedBackslash.hint),
            ("/shop/files//b", PathRejection.emptySegment.hint),
            ("/shop/files/a%2F%FF", PathRejection.notUTF8.hint), ("/shop/files/a%2Fb;c", PathRejection.parametersHint),
        ] as [(String, String?)])
    func `a path that leads elsewhere once decoded is 400, and its hint says why`(path: String, hint: String?) throws {
        let fixture = try Self.fixture()
        for fields in [[Fixture.bearer()], []] {
            guard
                case .reject(let rejection, let facts) = fixture.outcome(
                    try Fixture.request("GET \(path) HTTP/1.1", fields: fields))
            else {
                Issue.record("\(path) is not refused")
                continue
            }
            #expect(rejection.reason == .message(.badRequest))
            #expect(facts.hint == hint)
        }
    }

    @Test func `at a place for a whole host, no forwarded path begins with two slashes once decoded`() throws {
        let fixture = try Self.fixture {
            $0.places = [try PlacePattern(at: "api.example")]
            $0.routes = try RouteTable([try RoutePattern("GET /**")])
            $0.policies = [.token([])]
        }
        for path in ["/%2Fa", "/%252Fa", "/%2F", "/%252F%252Fa"] {
            #expect(try forwarded(path, by: fixture) == nil, "\(path)")
        }
        for path in ["/a%2F%2Fb", "/a/%2F%2F", "/a%252F%252F"] { #expect(try forwarded(path, by: fixture) == path) }
    }

    @Test func `a resource beside one with opaque slashes is judged by its own setting`() throws {
        func hint(_ path: String, _ other: EncodedSlashes) throws -> String? {
            let request = try Fixture.request("GET \(path) HTTP/1.1", host: "localhost", fields: [Fixture.bearer()])
            guard case .reject(let rejection, let facts) = try Self.fixture(other: other).outcome(request),
                rejection.reason == .message(.badRequest)
            else { return nil }
            return facts.hint
        }
        #expect(try hint("/other/a%2Fb", .refuse) == PathRejection.encodedSlash.hint)
        for way in [EncodedSlashes.refuse, .keep] {
            #expect(try hint("/other/a%252Fb", way) == PathRejection.doubleEncoding.hint)
            #expect(try hint("/other/a%252Fb%2Fc", way) == PathRejection.doubleEncoding.hint)
        }
        #expect(try hint("/other/a%2F..", .keep) == RequestWalk.ambiguous)
        #expect(try hint("/other/a%2Fb", .keep) == nil)
    }

    /// Every path is parsed with opaque slashes, as that resource has it, before its own resource is known.
    @Test(
        arguments: [
            ("/other/x%2Fy/%2541", .keep, "It is at byte 13 of the path."),
            ("/other/a%252Fb", .keep, "It is at byte 7 of the path."),
            ("/other/a%252Fb%2Fc", .refuse, "It is at byte 7 of the path."),
            ("/other/%2F/%25%32e", .refuse, "It is at byte 11 of the path."),
            ("/other/a%2fb", .refuse, "It is at byte 8 of the path."),
            ("/other/a%2F..", .keep, "It is at byte 8 of the path."),
            ("/other/a%2Fb%2F..", .keep, "The first `%2F` is at byte 8 of the path."),
            ("/%2573hop/projects/7", .keep, "It is at byte 1 of the path."),
            ("/shop%2Fprojects/7", .keep, "It is at byte 5 of the path."),
            ("/shop/files/a%2F..%2Fb", .keep, "It is at byte 12 of the path."),
            ("/shop/files/a%2Fb/%252e%252e/c", .keep, "It is at byte 18 of the path."),
            ("/shop/files/a%2Fb/%2e/c", .keep, "It is at byte 18 of the path."),
            ("/shop/files/a%2Fb;c", .keep, "It is at byte 17 of the path."),
        ] as [(String, EncodedSlashes, String)])
    func `the detail names the refused byte or segment, whichever resource refused it`(
        path: String, other: EncodedSlashes, place: String
    ) throws {
        let fixture = try Self.fixture(other: other)
        var request = try Fixture.request("GET \(path) HTTP/1.1", fields: [Fixture.bearer()])
        let outcome = fixture.authorizer.authorize(&request, at: NumericDate(seconds: TestToken.now))
        guard case .reject(let rejection, let facts) = outcome else {
            Issue.record("\(path) is not refused")
            return
        }
        let hint = try #require(facts.hint)
        #expect(fixture.authorizer.detail(of: rejection.reason, request, facts) == "\(hint) \(place)")
    }

    @Test(arguments: [
        ("acme", "acme", true), ("acme/x", "acme%2Fx", false), ("acme%2Fx", "acme%252Fx", false),
        ("acme", "ac%256De", false),
        ("ac%6De", "ac%256De", false), ("/", "%2F", false),
    ])
    func `a segment that changes when decoded again names no organization`(
        organization: String, segment: String, isGranted: Bool
    ) throws {
        let token = TestToken.good.with("organization_id", "\"\(organization)\"")
        let request = try Fixture.request("GET /shop/orgs/\(segment)/bills HTTP/1.1", fields: [Fixture.bearer(token)])
        let rejection = try Self.fixture().rejection(request)
        #expect(rejection?.reason.label == (isGranted ? nil : "organization_mismatch"))
    }

    @Test func `an explanation says that encoded slashes are ordinary characters`() throws {
        var request = try Fixture.request("GET /shop/projects/a%2fb HTTP/1.1", fields: [Fixture.bearer()])
        let steps = try Self.fixture().authorizer.explain(&request, at: NumericDate(seconds: TestToken.now)).steps
        let text =
            "/shop/projects/a%2fb, with `%2F` and `%25` as ordinary characters of a segment (`encoded_slashes: opaque`)"
        #expect(steps.first?.detail == text)
        #expect(steps.allSatisfy { $0.verdict == .passed })
    }
}
