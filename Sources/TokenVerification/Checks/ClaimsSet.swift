import StrictJSON

/// A JWT claims set (RFC 7519 §4): one JSON object, read but not yet believed.
///
/// A member that is null is absent, and so is an `aud` that is an empty array. An integer of 64 bits that identifies
/// somebody or something is its digits, and is read as a string of them.
public struct ClaimsSet: Sendable {
    public let json: JSONValue

    /// The claims of which an integer is read as its digits: those of subjects, tokens, sessions and clients.
    public static let identifiers: [StaticString] = ["sub", "oid", "jti", "sid", "client_id", "azp", "cid", "appid"]

    private static let reading = JSONReading(omitsNullMembers: true, omittedIfEmpty: ["aud"], identifiers: identifiers)

    /// - Parameter bytes: the decoded payload of a compact JWS.
    public init(parsing bytes: Span<UInt8>) throws(TokenRejection) {
        do {
            json = try JSONDocument(parsing: bytes, limits: .claimsSet, reading: Self.reading).root
        } catch {
            throw .malformed
        }
        guard json.kind == .object else { throw .malformed }
    }

    /// `iss`; nil if it is absent or not a string.
    public var issuer: String? { json[member: "iss"]?.string }

    /// `jti`; nil if it is absent or no identifier.
    public var tokenID: String? { json[member: "jti"]?.identifier }

    /// `sid`, likewise.
    public var sessionID: String? { json[member: "sid"]?.identifier }

    /// The identifier that the first of the claims is that is there, such as of those that may name the client; nil if
    /// it is none.
    public func identifier(of paths: [ClaimPath]) -> String? { first(of: paths)?.identifier }

    /// A NumericDate claim (RFC 7519 §2): nil if absent; an integer or finite real, anything else is refused.
    func date(_ name: StaticString) throws(TokenRejection) -> NumericDate? {
        guard let claim = json[member: name] else { return nil }
        guard let seconds = claim.real, seconds.isFinite else { throw .claimInvalid }
        return NumericDate(seconds: seconds)
    }

    /// The audiences that `aud` names.
    var audiences: [JSONValue] { json[member: "aud"]?.audiences ?? [] }

    /// Whether `aud` names one of the accepted audiences, byte for byte (RFC 7519 §4.1.3).
    func isAddressed(to audiences: [String]) -> Bool {
        ClaimTest.addressed(audiences.map { .string($0) }).holds(for: json[member: "aud"])
    }

    /// The strings of the first claim that is there: a string is split at spaces, an array gives its strings.
    ///
    /// Anything else gives nothing, never everything.
    func strings(in paths: [ClaimPath]) -> [String] {
        first(of: paths)?.words ?? []
    }

    /// The first of the claims that is there.
    public func first(of paths: [ClaimPath]) -> JSONValue? {
        for path in paths {
            if let claim = path.value(in: json) { return claim }
        }
        return nil
    }
}

extension JSONValue {
    /// A string, or the digits of an integer of 64 bits; nil for everything else.
    public var identifier: String? { string ?? integer.map { String($0) } }
}
