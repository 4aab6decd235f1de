import JOSE
import JOSESigning

/// A token under construction: header members and claims as raw JSON, so that a test can write what no honest issuer
/// would.
public struct TestToken: Sendable {
    /// Header members besides `alg` and `kid`, which come from the key unless given here.
    public var header: [String: String]
    public var claims: [String: String]

    public init(header: [String: String], claims: [String: String]) {
        (self.header, self.claims) = (header, claims)
    }

    /// A valid token at `TestToken.now` for the audience `api`, with the scope `read`.
    public static let good = TestToken(
        header: ["typ": #""at+jwt""#],
        claims: [
            "iss": #""https://iss.example""#, "aud": #""api""#, "sub": #""user-1""#, "client_id": #""app-1""#,
            "jti": #""t-1""#,
            "scope": #""read""#, "iat": "1790000000", "exp": "1790003600",
        ],
    )

    /// The time of the tests: ten minutes after `good` was issued.
    public static let now: Double = 1_790_000_600

    public func with(_ name: String, _ json: String?) -> TestToken {
        var copy = self
        copy.claims[name] = json
        return copy
    }

    public func withHeader(_ name: String, _ json: String?) -> TestToken {
        var copy = self
        copy.header[name] = json
        return copy
    }

    public func signed(by key: SigningKey) -> String {
        let parts = parts(by: key)
        return key.compactJWS(header: parts.header, payload: parts.payload)
    }

    /// The token with padding in its parts, which the signature covers.
    public func padded(by key: SigningKey) -> String {
        let parts = parts(by: key)
        let input = [parts.header, parts.payload].map { Self.padded(Array($0.utf8)) }.joined(separator: ".")
        return input + "." + Self.padded(key.sign(Array(input.utf8)))
    }

    private func parts(by key: SigningKey) -> (header: String, payload: String) {
        let defaults = ["alg": "\"\(key.algorithm.rawValue)\"", "kid": "\"\(key.keyID)\""]
        let members = defaults.merging(header) { _, given in given }.filter { $0.value != Self.absent }
        return (Self.object(members), Self.object(claims))
    }

    /// Base64url with padding (RFC 4648 §4).
    public static func padded(_ bytes: [UInt8]) -> String {
        let text = Base64URL.encode(bytes)
        return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    }

    /// Value of a header member that omits the member.
    public static let absent = ""

    private static func object(_ members: [String: String]) -> String {
        "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }
}

/// Keys generated once for a whole test run.
public enum TestKeys {
    public static let rsa = key(.rs256, "k1")
    public static let ec = key(.es256, "e1")
    /// Another key with the same `kid` as `rsa`.
    public static let impostor = key(.rs256, "k1")

    public static let set = keySet([rsa, ec])

    public static func keySet(_ keys: [SigningKey]) -> KeySet {
        guard let set = try? KeySet(parsing: Array(SigningKey.jwkSetJSON(keys).utf8).span) else {
            preconditionFailure("no key set")
        }
        return set
    }

    private static func key(_ algorithm: SignatureAlgorithm, _ keyID: String) -> SigningKey {
        guard let key = try? SigningKey.generate(algorithm, keyID: keyID) else { preconditionFailure("no key") }
        return key
    }
}
