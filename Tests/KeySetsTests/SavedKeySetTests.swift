import JOSE
import KeySets
import StrictJSON
import Testing
import TokenVerification

@Suite struct SavedKeySetTests {
    private let configuration = LifecycleStage.configuration { $0.retention = .seconds(86_400) }
    private let now = NumericDate(seconds: 1_790_000_000)

    private func sample() throws -> SavedKeySet {
        let kept = try SampleKeys.keySet(["gone"], firstMaterial: 2).keys.map {
            KeptKey($0, lastSeen: now - .seconds(4000.25))
        }
        return SavedKeySet(
            document: try SampleKeys.keySet(["a", "b/+="]), fetchedAt: now - .seconds(100.125), kept: kept)
    }

    private func text() throws -> String {
        String(decoding: try #require(try sample().text(for: configuration)), as: UTF8.self)
    }

    /// Rejection of this text. Nil if it is read.
    private func rejection(of text: String, for configuration: KeySetConfiguration? = nil) -> SavedKeySetRejection? {
        let bytes = Array(text.utf8)
        do throws(SavedKeySetRejection) {
            _ = try SavedKeySet(parsing: bytes.span, for: configuration ?? self.configuration, at: now)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a saved key set is read back the same`() throws {
        let bytes = Array(try text().utf8)
        let read = try SavedKeySet(parsing: bytes.span, for: configuration, at: now)
        let original = try sample()
        #expect(read.fetchedAt == original.fetchedAt)
        #expect(read.document.hasSameKeys(as: original.document))
        #expect(read.kept.map(\.lastSeen) == original.kept.map(\.lastSeen))
        #expect(read.kept.map(\.key.thumbprint) == original.kept.map(\.key.thumbprint))
        #expect(read.text(for: configuration) == bytes)
    }

    @Test func `a saved key set contains source, issuer, times, and only public key members`() throws {
        let document = try JSONDocument(parsing: Array(try text().utf8), limits: .document)
        #expect(document.root.members.map(\.name) == ["version", "key_set", "issuer", "fetched_at", "keys", "kept"])
        #expect(document.root["key_set"]?["at"]?.string == "https://id.example/keys")
        #expect(document.root["issuer"]?.string == "https://id.example")
        #expect(document.root["fetched_at"]?.real == 1_789_999_899.875)
        #expect(document.root["keys"]?[index: 1]?.members.map(\.name) == ["kty", "kid", "use", "alg", "crv", "x", "y"])
        #expect(document.root["kept"]?[index: 0]?["last_seen"]?.real == 1_789_995_999.75)
    }

    @Test func `a saved key set cut off anywhere is refused`() throws {
        let whole = Array(try text().utf8)
        for length in 0..<whole.count {
            #expect(rejection(of: String(decoding: whole.prefix(length), as: UTF8.self)) == .malformed)
        }
    }

    @Test(
        arguments: [
            ("\"version\":1", "\"version\":2", .versionUnknown(2)),
            ("\"version\":1", "\"version\":\"1\"", .malformed),
            ("\"fetched_at\":1789999899.875", "\"fetched_at\":\"now\"", .malformed),
            ("\"fetched_at\":1789999899.875", "\"fetched_at\":-1", .malformed),
            ("\"fetched_at\":1789999899.875", "\"fetched_at\":1790000300", nil),
            ("\"fetched_at\":1789999899.875", "\"fetched_at\":1790000300.5", .fromTheFuture),
            ("\"last_seen\":1789995999.75", "\"last_seen\":1790000301", .fromTheFuture),
            ("\"last_seen\":1789995999.75", "\"last_seen\":null", .malformed),
            ("\"kept\":[", "\"kept\":[7,", .malformed),
            ("\"keys\":[", "\"other\":[", .malformed),
            ("\"use\":\"sig\"", "\"use\":\"enc\"", .keyRefused(.notForSignatures)),
            ("\"kty\":\"EC\"", "\"kty\":\"oct\"", .keyRefused(.symmetricKey)),
            ("\"crv\":\"P-256\"", "\"d\":\"AA\",\"crv\":\"P-256\"", .keyRefused(.privateKey)),
            ("https://id.example/keys", "https://id.example/other", .otherKeySet),
            ("\"plain_http\":false", "\"plain_http\":true", .otherKeySet),
            ("\"kind\":\"jwks_uri\"", "\"kind\":\"discovery\"", .otherKeySet),
        ] as [(String, String, SavedKeySetRejection?)])
    func `a saved key set that was edited is refused`(
        part: String, replacement: String, expected: SavedKeySetRejection?
    ) throws {
        let original = try text()
        let changed = original.replacing(part, with: replacement, maxReplacements: 1)
        #expect(changed != original)
        #expect(rejection(of: changed) == expected)
    }

    @Test func `a saved key set without keys is refused, and so is one with more than allowed`() throws {
        let empty = SavedKeySet(document: KeySet(keys: []), fetchedAt: now)
        let bytes = try #require(empty.text(for: configuration))
        #expect(rejection(of: String(decoding: bytes, as: UTF8.self)) == .noKeys)
        #expect(rejection(of: try text(), for: LifecycleStage.configuration { $0.keyLimit = 1 }) == .tooManyKeys)
    }

    @Test func `a saved key set larger than the limit is neither read nor written`() throws {
        let padding = String(repeating: " ", count: SavedKeySet.byteLimit)
        #expect(rejection(of: try text() + padding) == .tooLarge)
        let keyID = String(repeating: "\u{7F}", count: 256)
        let keys = try (0..<3000).flatMap { try SampleKeys.keySet(["\($0)\(keyID.dropLast(4))"]).keys }
        #expect(SavedKeySet(document: KeySet(keys: keys), fetchedAt: now).text(for: configuration) == nil)
    }

    @Test func `a saved key set of another source, issuer or trust anchor is refused`() throws {
        let metadata = KeySetConfiguration(
            source: .metadata(url: "https://id.example/keys"), issuer: "https://id.example")
        var anchored = configuration
        anchored.caFile = "ca.pem"
        for other in [metadata, anchored] { #expect(rejection(of: try text(), for: other) == .otherKeySet) }
        var renamed = configuration
        renamed.issuer = "https://other.example"
        #expect(rejection(of: try text(), for: renamed) == nil)
        let first = try #require(try sample().text(for: metadata))
        var second = metadata
        second.issuer = "https://other.example"
        #expect(rejection(of: String(decoding: first, as: UTF8.self), for: second) == .otherKeySet)
    }

    @Test func `a snapshot of a saved key set has the keys that are still retained`() throws {
        let saved = try sample()
        #expect(saved.snapshot(for: configuration, at: now).keys?.keys.compactMap(\.keyID) == ["a", "b/+=", "gone"])
        #expect(saved.snapshot(for: LifecycleStage.configuration(), at: now).keys?.keys.count == 2)
        #expect(saved.snapshot(for: configuration, at: now).fetchedAt == saved.fetchedAt)
        #expect(saved.snapshot(for: configuration, at: now + .seconds(86_400)).isTooStale(at: now + .seconds(86_400)))
    }

    @Test func `file names consist of hexadecimal digits and differ with the identity`() throws {
        var names: Set<String> = []
        for source in [
            KeySetSource.jwkSetURL("https://id.example/../keys"), .discovery(issuer: "https://id.example/../keys"),
        ] {
            for issuer in ["https://a.example", "https://b.example"] {
                let name = try #require(KeySetConfiguration(source: source, issuer: issuer).identity.fileName)
                #expect(name.utf8.count == 69 && name.hasSuffix(".json"))
                #expect(name.dropLast(5).allSatisfy { $0.isHexDigit && !$0.isUppercase })
                names.insert(name)
            }
        }
        // A URL is the same key set for every issuer; discovery is not.
        #expect(names.count == 3)
    }
}
