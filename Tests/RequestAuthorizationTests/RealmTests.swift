import AccessControl
import Callers
import HTTPMessages
import JOSE
import JOSESigning
import KeySets
import KnownTokens
import RequestAuthorization
import TestSupport
import Testing
import TokenVerification

/// Tokens of an issuer with realms: each realm is an issuer of its own.
@Suite struct RealmTests {
    private let authorizer: RequestAuthorizer
    /// The same without a token cache.
    private let plain: RequestAuthorizer
    private let stores = RealmStores()
    private let denials: DenyList

    private static let acme = signingKey("a1")
    private static let globex = signingKey("g1")
    /// A key of another realm with the ID of acme's.
    private static let impostor = signingKey("a1")

    private static func signingKey(_ keyID: String) -> SigningKey {
        (try? SigningKey.generate(.es256, keyID: keyID)) ?? TestKeys.ec
    }

    init() throws {
        denials = DenyList(try #require(DenyDigests.process))
        let tenant = IdentityField(.tenant, name: FieldName(fixed: "X-Tenant"))
        let fixture = try AuthorizerFixture(identity: [tenant])
        var issuer = try #require(fixture.authorizer.issuers[0]).verifier.issuer
        let pattern = try #require(
            RealmPattern("https://id.example/realms/{realm}", names: .matching(try ClaimPattern("cust-*"))))
        issuer.realms = pattern
        issuer.identifiers = [IssuerIdentifier(pattern)]
        let keys = IssuerKeyStores(issuer: issuer, stores: [], realms: stores)
        let resources = fixture.authorizer.resources
        authorizer = try RequestAuthorizer(
            resources: resources, issuers: [keys], digestKey: TokenDigestKey(),
            cache: VerifiedTokenCache(byteLimit: 1 << 20), denials: denials)
        plain = try RequestAuthorizer(resources: resources, issuers: [keys], denials: denials)
    }

    private func place(_ realm: String, _ keys: SigningKey...) -> KeySetStore {
        var snapshot = KeySetSnapshot(staleLimit: .seconds(86_400))
        snapshot.keys = TestKeys.keySet(keys)
        snapshot.fetchedAt = NumericDate(seconds: TestToken.now)
        snapshot.lastFetchSucceeded = true
        snapshot.canWait = true
        let store = KeySetStore(snapshot)
        stores.add(realm, store)
        return store
    }

    private func token(of realm: String, by key: SigningKey) -> String {
        TestToken.good.with("iss", "\"https://id.example/realms/\(realm)\"").signed(by: key)
    }

    private func outcome(
        _ token: String, after answer: KeyAnswer? = nil, of judge: RequestAuthorizer? = nil
    ) throws -> AuthorizationOutcome {
        var request = try AuthorizerFixture.request(fields: ["Authorization: Bearer \(token)"])
        request.answer = answer.map { .keys($0) }
        return (judge ?? authorizer).authorize(&request, at: NumericDate(seconds: TestToken.now))
    }

    private func text(_ token: String, after answer: KeyAnswer? = nil) throws -> String {
        let outcome = try outcome(token, after: answer)
        let text = AuthorizerFixture.text(outcome)
        #expect(text == AuthorizerFixture.text(try self.outcome(token, after: answer, of: plain)), "the cache differs")
        return text
    }

    private func wait(_ token: String) throws -> TokenWait? {
        if case .wait(.token(let wait), _) = try outcome(token) { wait } else { nil }
    }

    @Test func `a token is verified with the keys of its own realm, which is its tenant`() throws {
        _ = place("cust-a", Self.acme)
        _ = place("cust-g", Self.globex)
        for _ in 0..<2 {
            #expect(try text(token(of: "cust-a", by: Self.acme)).contains("X-Tenant: cust-a\r\n"))
            #expect(try text(token(of: "cust-g", by: Self.globex)).contains("X-Tenant: cust-g\r\n"))
        }
    }

    @Test func `T542: a key of one realm proves nothing for another, though its ID is the same`() throws {
        _ = place("cust-a", Self.acme)
        _ = place("cust-i", Self.impostor)
        #expect(try text(token(of: "cust-i", by: Self.impostor)).hasPrefix("forward"))
        #expect(try text(token(of: "cust-a", by: Self.impostor)).contains("bad_signature"))
        #expect(try text(token(of: "cust-i", by: Self.acme)).contains("bad_signature"))
    }

    @Test(arguments: [
        "acme", "cust-", "cust-a/", "cust-a/../b", "cust-a%2f", "Cust-a", "cust-a?", "cust-\u{E9}",
        "cust-" + String(repeating: "x", count: 60),
    ])
    func `T543: a realm that the pattern does not accept is another issuer`(realm: String) throws {
        _ = place(realm, Self.acme)
        #expect(try text(token(of: realm, by: Self.acme)).contains("issuer_mismatch"))
    }

    @Test func `an unknown realm is waited for, and decided by the answer`() throws {
        let token = token(of: "cust-a", by: Self.acme)
        #expect(try wait(token) == .keys(KeyWait(issuer: 0, at: .realm("cust-a"), keyID: "a1")))
        #expect(try wait(token)?.isForUnknownRealm == true)
        #expect(try text(token, after: .confirmedUnknown).contains("unknown_kid"))
        #expect(try text(token, after: .notAsked(retryAfter: .seconds(9))).contains("key_not_asked"))
        #expect(try text(token, after: .unavailable(retryAfter: .seconds(9))).contains("keys_unavailable"))
        // The realm lost its place while the request waited.
        #expect(try text(token, after: .keysChanged).contains("keys_unavailable"))
        _ = place("cust-a", Self.acme)
        #expect(try text(token, after: .keysChanged).hasPrefix("forward"))
    }

    @Test func `a new key of a known realm is waited for at the realm's own key set`() throws {
        _ = place("cust-a", Self.acme)
        let index = try #require(stores.realm(named: "cust-a")?.index)
        let wait = try wait(token(of: "cust-a", by: Self.globex))
        #expect(wait == .keys(KeyWait(issuer: 0, at: .keySet(index), keyID: "g1")))
        #expect(wait?.isForUnknownRealm == false)
    }

    /// Cached and uncached verdicts agree whatever happens to the realms between two requests.
    @Test func `T546: a cached token counts only as long as its realm has the place and the key`() throws {
        let token = token(of: "cust-a", by: Self.acme)
        let store = place("cust-a", Self.acme, Self.globex)
        #expect(try text(token).hasPrefix("forward"))
        guard case .forward(_, let facts) = try outcome(token), facts.cache == .hit else {
            Issue.record("the token was not cached")
            return
        }
        // The key leaves the realm's key set.
        var without = store.snapshot()
        without.keys = TestKeys.keySet([Self.globex])
        without.generation += 1
        without.canWait = false
        store.publish(without)
        #expect(!(try text(token).hasPrefix("forward")))
        // The realm loses its place, and another takes one.
        stores.remove("cust-a")
        _ = place("cust-g", Self.acme)
        #expect(try wait(token) == .keys(KeyWait(issuer: 0, at: .realm("cust-a"), keyID: "a1")))
        // It gets a place again, with other keys, then with its own.
        _ = place("cust-a", Self.impostor)
        #expect(try text(token).contains("bad_signature"))
        _ = place("cust-a", Self.acme)
        #expect(try text(token).hasPrefix("forward"))
    }

    @Test func `a deny list entry of one realm leaves the others' tokens alone`() throws {
        _ = place("cust-a", Self.acme)
        _ = place("cust-b", Self.acme)
        for realm in ["cust-a", "cust-b"] { #expect(try text(token(of: realm, by: Self.acme)).hasPrefix("forward")) }
        let issuers = DenyIssuers([try #require(authorizer.issuers[0]).verifier.issuer])
        let now = NumericDate(seconds: TestToken.now)
        func entry(_ issuer: String) throws -> DenyEntry {
            try DenyEntry(
                parsing: Array(#"{"issuer":"\#(issuer)","sub":"user-1"}"#.utf8).span, issuers: issuers, at: now)
        }
        let digests = try #require(DenyDigests.process)
        var builder = DenyTable.Builder(digests)
        #expect(builder.add(try entry("https://id.example/realms/cust-a")))
        denials.replace(.file, by: builder.table(at: now))
        #expect(try text(token(of: "cust-a", by: Self.acme)).hasPrefix("denied"))
        #expect(try text(token(of: "cust-b", by: Self.acme)).hasPrefix("forward"))
        // The name of the issuer would deny the tokens of all realms.
        for name in ["main", "https://id.example/realms/acme", "https://id.example/realms/{realm}"] {
            #expect(throws: DenyProblem.self) { try entry(name) }
        }
    }

    /// 10,000 random steps: realms get and lose places and keys, and tokens of all kinds are judged.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `random realms are judged alike with and without a cache, and by their own keys alone`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let realms = ["cust-a", "cust-b", "cust-c"]
        let keys = [Self.acme, Self.globex, Self.impostor]
        let tokens = realms.map { realm in keys.map { token(of: realm, by: $0) } }
        /// Index of the only key of each realm that has a place.
        var held: [Int: Int] = [:]
        var permitted = 0
        for _ in 0..<2_500 {
            let (realm, key) = (Int.random(in: 0..<3, using: &random), Int.random(in: 0..<3, using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                _ = place(realms[realm], keys[key])
                held[realm] = key
            case 1:
                stores.remove(realms[realm])
                held[realm] = nil
            default:
                let text = try text(tokens[realm][key])
                #expect(text.hasPrefix("forward") == (held[realm] == key), "\(realms[realm]) \(key): \(text)")
                permitted += text.hasPrefix("forward") ? 1 : 0
            }
        }
        #expect(permitted > 200)
    }
}
