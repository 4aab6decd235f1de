import ConfigurationFile
import JOSE
import Testing
import TokenVerification

struct IssuerPlaceTests {
    private func places() throws -> [IssuerPlace] { try ProfiledIssuerTests.load().issuers.map(\.place) }

    @Test func `each issuer has its location in the file`() throws {
        let configuration = try ProfiledIssuerTests.load()
        let places = configuration.issuers.map(\.place)
        #expect(places.map(\.keyPath) == configuration.issuers.map { "issuers." + $0.trusted.name })
        #expect(places.map(\.position.line) == [2, 11, 16, 22, 23])
        #expect(places.map(\.position.column) == [3, 3, 3, 3, 3])
        #expect(places.map(\.keySetNames.count) == configuration.issuers.map(\.keySets.count))
    }

    @Test func `a key set is named if the issuer has several`() throws {
        let lines = try places().map {
            $0.keysFound(keySet: KeySetIndex($0.keySetNames.count - 1), usable: 2, skipped: 0).rendered(file: "FILE")
        }
        #expect(
            lines == [
                "FILE:2:3: note: issuers.logto: 2 usable keys",
                "FILE:11:3: note: issuers.staff: key set `v1`: 2 usable keys",
                "FILE:16:3: note: issuers.customers: key set `B2C_1A_signup`: 2 usable keys",
                "FILE:22:3: note: issuers.app: 2 usable keys", "FILE:23:3: note: issuers.pool: 2 usable keys",
            ])
    }

    @Test func `usable keys are counted in singular and plural, and unusable keys are counted too`() throws {
        let place = try #require(try places().first)
        #expect(place.keysFound(keySet: 0, usable: 1, skipped: 0).message == "1 usable key")
        #expect(place.keysFound(keySet: 0, usable: 3, skipped: 1).message == "3 usable keys, 1 not usable")
    }

    @Test func `a skipped key is a note if it is for another use, otherwise a warning`() throws {
        let place = try #require(try places().first { $0.keyPath == "issuers.staff" })
        let encryption = SkippedKey(keyID: "e", index: 1, reason: .notForSignatures)
        #expect(
            place.problem(of: encryption, keySet: 0).rendered(file: "FILE")
                == "FILE:11:3: note: issuers.staff: key set `v2`: key 1 `e`: its `use` is not `sig`")
        for reason in [JSONWebKeyRejection.materialMissing(.modulus), .duplicateKeyID, .privateKey] {
            #expect(place.problem(of: SkippedKey(keyID: "k", index: 0, reason: reason), keySet: 0).severity == .warning)
        }
        let unusual = place.problem(of: UnusualKey(keyID: nil, index: 3, deviations: .padding), keySet: 0)
        #expect(unusual.severity == .warning)
        #expect(unusual.message == "key set `v2`: key 3: it is used, but is written with padded base64")
    }

    @Test func `a failed key set is reported as an error at the issuer`() throws {
        let place = try #require(try places().first { $0.keyPath == "issuers.staff" })
        let problem = place.problem(.error, keySet: 0, "no connection")
        #expect(problem.rendered(file: "FILE") == "FILE:11:3: error: issuers.staff: key set `v2`: no connection")
        #expect(place.problem(.error, keySet: 7, "no connection").message == "no connection")
    }

    @Test func `the summary counts in singular and plural`() throws {
        #expect(try ProfiledIssuerTests.load().summary == "2 resources, 2 rules, 5 issuers")
        let text = """
            issuers: {a: {issuer: https://a.example, token_type: at+jwt}}
            resources: {b: {at: /b, issuers: [a], upstream: http://127.0.0.1:9000, rules: {GET /: authenticated}}}
            """
        #expect(try ProfiledIssuerTests.load(text).summary == "1 resource, 1 rule, 1 issuer")
    }
}
