import AccessControl
import HTTPMessages
import TestSupport
import Testing
import TokenVerification

@testable import RequestAuthorization

/// Response edits of a resource and a rule together, and the closed list of names.
struct ResponseEditTests {
    private static func edits(_ set: [ResponseFieldName: String], _ removed: Set<ResponseFieldName> = [])
        -> ResponseEdits
    {
        ResponseEdits(set: set.mapValues { Array($0.utf8) }, removed: removed)
    }

    @Test func `a rule's edits come on top of those of its resource, name by name`() throws {
        let resource = Self.edits([.server: "one", .sunset: "two", .xRuntime: "three"], [.xPoweredBy, .xGenerator])
        let rule = Self.edits([.sunset: "own", .xPoweredBy: "own"], [.server, .xServedBy])
        #expect(
            rule.over(resource)
                == Self.edits(
                    [.sunset: "own", .xPoweredBy: "own", .xRuntime: "three"], [.server, .xServedBy, .xGenerator]))
        #expect(ResponseEdits().over(resource) == resource && rule.over(ResponseEdits()) == rule)
    }

    @Test func `each rule has its edits, and requests without a rule have those of the resource`() throws {
        func lines(_ edits: PreparedResponseEdits?) -> [String] {
            var head = HeadWriter()
            edits?.write(into: &head)
            return String(decoding: head.bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
        }
        let fixture = try AuthorizerFixture(
            rules: AuthorizerFixture.tokenRules,
            configure: {
                $0.responseEdits = Self.edits([.server: "shop"])
                $0.ruleResponseEdits = [ResponseEdits(), Self.edits([.cacheControl: "private"], [.server])]
            })
        let authorizer = fixture.authorizer
        #expect(authorizer.editsResponses)
        #expect(lines(authorizer.responseEdits(of: nil, 0)) == ["Server: shop"])
        #expect(lines(authorizer.responseEdits(of: 0, 0)) == ["Server: shop"])
        #expect(lines(authorizer.responseEdits(of: 1, 0)) == ["Cache-Control: private"])
        #expect(lines(authorizer.responseEdits(of: 2, 0)) == ["Server: shop"])
        #expect(authorizer.responseEdits(of: 0, 1) == nil && authorizer.responseEdits(of: nil, 1) == nil)
        #expect(try !AuthorizerFixture().authorizer.editsResponses)
    }

    @Test func `an explanation names the headers that are set and removed, as far as they apply`() throws {
        let fixture = try AuthorizerFixture(
            rules: AuthorizerFixture.tokenRules,
            configure: {
                $0.responseEdits = Self.edits(
                    [.strictTransportSecurity: "max-age=1", .cacheControl: "no-store"], [.xPoweredBy, .server])
                $0.bounds = ForwardingBounds(body: 10, firstByte: .seconds(3))
            })
        func steps(_ line: String, isAtDoor: Bool) throws -> [Explanation.Step] {
            var request = try AuthorizerFixture.request(line)
            request.isAtDoor = isAtDoor
            return fixture.authorizer.explain(&request, at: .latest).steps
        }
        let forwarded = try steps("GET /shop/open HTTP/1.1", isAtDoor: false)
        #expect(
            forwarded.suffix(2) == [
                Explanation.Step(
                    "forward", .passed,
                    "to the upstream, a body of at most 10 bytes, the head of the response within 3.0 seconds"),
                Explanation.Step(
                    "response", .passed, "sets Strict-Transport-Security, Cache-Control; removes Server, X-Powered-By"),
            ])
        // A refusal is the gateway's own answer, which has nothing to remove, and its own `Cache-Control`.
        #expect(
            try steps("GET /shop/me HTTP/1.1", isAtDoor: false).last
                == Explanation.Step("response", .passed, "sets Strict-Transport-Security"))
        // The proxy at a door forwards, and answers.
        #expect(
            try steps("GET /shop/open HTTP/1.1", isAtDoor: true).last
                == Explanation.Step("forward", .passed, "to the upstream"))
        #expect(try !steps("GET /shop/me HTTP/1.1", isAtDoor: true).contains { $0.name == "response" })
    }

    @Test func `every name of the list is found in any case, and none of them frames, hops or identifies`() {
        for name in ResponseFieldName.allCases {
            #expect(
                ResponseFieldName(name.text.uppercased()) == name && ResponseFieldName(name.text.lowercased()) == name)
            let known = KnownField.allCases.first { "\($0.name)".lowercased() == name.text.lowercased() }
            #expect(known?.isHopByHop != true && known?.isFraming != true, "\(name)")
            #expect(!name.text.lowercased().hasPrefix("access-control-"))
        }
        #expect(ResponseFieldName("Set-Cookie") == nil && ResponseFieldName("") == nil)
    }
}
