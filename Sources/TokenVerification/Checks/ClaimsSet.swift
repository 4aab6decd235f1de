import StrictJSON

/// A JWT claims set (RFC 7519 §4): one JSON object, parsed but not verified.
///
/// A null member counts as absent, and so does an `aud` that is an empty array. In the claims of ``identifiers``, an
/// integer of 64 bits is read as the string of its digits.
public struct ClaimsSet: Sendable {
    public let json: JSONValue

    /// Names of the claims in which an integer is read as its digits: subjects, tokens, sessions and clients.
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

    /// `iss`. Nil if it is absent or not a string.
    public var issuer: String? { json[member: "iss"]?.string }

    /// `jti`. Nil if it is absent or not an identifier.
    public var tokenID: String? { json[member: "jti"]?.identifier }

    /// `sid`. Nil if it is absent or not an identifier.
    public var sessionID: String? { json[member: "sid"]?.identifier }

    /// The identifier in the first of these claims that is present, for example the client's. Nil if none is present,
    /// or if that claim is not an identifier.
    public func identifier(of paths: [ClaimPath]) -> String? { first(of: paths)?.identifier }

    /// Reads a NumericDate claim (RFC 7519 §2): an integer or a finite real. Nil if it is absent; throws
    /// ``TokenRejection/claimInvalid`` for any other value.
    func date(_ name: StaticString) throws(TokenRejection) -> NumericDate? {
        guard let claim = json[member: name] else { return nil }
        guard let seconds = claim.real, seconds.isFinite else { throw .claimInvalid }
        return NumericDate(seconds: seconds)
    }

    /// The audiences that `aud` names.
    var audiences: [JSONValue] { json[member: "aud"]?.audiences ?? [] }

    /// True if `aud` names one of the accepted audiences, byte for byte (RFC 7519 §4.1.3).
    func isAddressed(to audiences: [String]) -> Bool {
        ClaimTest.addressed(audiences.map { .string($0) }).holds(for: json[member: "aud"])
    }

    /// The words of the first of these claims that is present: a string is split at the separator, an array gives its
    /// strings.
    ///
    /// Any other value gives no words.
    func words(in paths: [ClaimPath], _ separator: WordSeparator) -> [String] {
        first(of: paths)?.words(separator) ?? []
    }

    /// The first of these claims that is present. Nil if none is.
    public func first(of paths: [ClaimPath]) -> JSONValue? {
        for path in paths {
            if let claim = path.value(in: json) { return claim }
        }
        return nil
    }
}

extension JSONValue {
    /// A string, or the digits of an integer of 64 bits. Nil for any other value.
    public var identifier: String? { string ?? integer.map { String($0) } }
}
