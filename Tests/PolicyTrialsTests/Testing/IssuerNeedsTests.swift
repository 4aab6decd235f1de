import ConfigurationFile
import JOSE
import Testing
import TokenVerification

@testable import PolicyTrials

struct IssuerNeedsTests {
    private static let time = NumericDate(seconds: 1_790_000_000.5)

    private static func claims(
        _ stated: [StatedMember] = [], audiences: [String] = ["api"], _ change: (inout TrustedIssuer) -> Void = { _ in }
    ) -> String {
        var issuer = TrustedIssuer(
            name: "it", identifier: "https://id.example", algorithms: [.es256, .rs256], tokenType: .accessTokenJWT)
        change(&issuer)
        var claims = StatedObject(stated)
        IssuerNeeds(issuer: issuer, audiences: audiences, time: time).complete(claims: &claims)
        return String(decoding: claims.json, as: UTF8.self)
    }

    private static let times = #""iat":1790000000,"exp":1790000300"#

    @Test func `the claims that every issuer needs are added after the stated ones`() {
        #expect(
            Self.claims([StatedMember("sub", .string("u"))])
                == #"{"sub":"u","iss":"https://id.example",\#(Self.times),"aud":"api"}"#)
        #expect(Self.claims(audiences: []) == #"{"iss":"https://id.example",\#(Self.times)}"#)
    }

    @Test func `stated claims stay, and null omits a claim`() {
        let stated = [
            StatedMember("aud", .null), StatedMember("iss", .string("x")), StatedMember("exp", .integer(1)),
            StatedMember("iat", .null),
        ]
        #expect(Self.claims(stated) == #"{"iss":"x","exp":1}"#)
    }

    @Test func `a tenant is put into iss and stated as tid`() {
        let tenants = ["b0000000-0000-4000-8000-000000000000", "a0000000-0000-4000-8000-000000000000"]
        let claims = Self.claims {
            $0.identifiers = [IssuerIdentifier(template: "https://id.example/", "/v2")]
            $0.directory = DirectoryRule(allowed: Set(tenants))
        }
        #expect(
            claims
                == #"{"iss":"https://id.example/\#(tenants[1])/v2","tid":"\#(tenants[1])",\#(Self.times),"aud":"api"}"#)
    }

    @Test func `of values that an issuer accepts, the first listed is used`() {
        let claims = Self.claims {
            $0.tokenType = .claims([
                .exactly(ClaimPath(member: "use"), [.string("access"), .string("x")]),
                .some([ClaimPath(member: "uid")]),
            ])
            $0.versions = [.string("2.0")]
            $0.clients = ["one", "two"]
            $0.audience = .client
            $0.maxLifetime = .seconds(60)
            $0.subject.isRequired = true
            $0.requiresAuthenticationTime = true
            $0.claimChecks = [IssuerCheck(.oneOf(ClaimPath(members: "a", "b"), [.integer(7)]), else: .claimNotAllowed)]
        }
        let times = #""iat":1790000000,"exp":1790000060,"auth_time":1790000000"#
        #expect(
            claims
                == #"{"iss":"https://id.example",\#(times),"client_id":"one","sub":"subject","ver":"2.0","use":"access","a":{"b":7}}"#
        )
    }

    @Test func `a client or subject stated under another name suffices`() {
        let stated = [StatedMember("azp", .string("app")), StatedMember("oid", .string("o"))]
        let claims = Self.claims(stated) {
            $0.clients = ["one"]
            $0.subject.isRequired = true
            $0.subject.claims = [ClaimPath(member: "oid"), ClaimPath(member: "sub")]
        }
        #expect(claims == #"{"azp":"app","oid":"o","iss":"https://id.example",\#(Self.times),"aud":"api"}"#)
    }

    @Test func `the header gets an algorithm and type that the issuer accepts`() {
        var header = StatedObject([StatedMember("kid", .null)])
        let issuer = TrustedIssuer(name: "it", identifier: "x", algorithms: [.es256, .rs256], tokenType: .any)
        IssuerNeeds(issuer: issuer, audiences: [], time: Self.time).complete(header: &header)
        #expect(String(decoding: header.json, as: UTF8.self) == #"{"alg":"RS256","typ":"JWT"}"#)
    }
}
