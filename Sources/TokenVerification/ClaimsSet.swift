import StrictJSON

/// A JWT claims set (RFC 7519 §4): one JSON object, read but not yet believed.
public struct ClaimsSet: Sendable {
    public let json: JSONValue

    /// - Parameter bytes: the decoded payload of a compact JWS.
    public init(parsing bytes: Span<UInt8>) throws(TokenRejection) {
        do {
            json = try JSONDocument(parsing: bytes, limits: .claimsSet).root
        } catch {
            throw .malformed
        }
        guard json.kind == .object else { throw .malformed }
    }

    /// `iss`; nil if it is absent or not a string.
    public var issuer: String? { json[member: "iss"]?.string }

    /// `jti`; nil if it is absent or not a string.
    public var tokenID: String? { json[member: "jti"]?.string }

    /// A NumericDate claim (RFC 7519 §2): nil if absent; an integer or finite real, anything else is refused.
    func date(_ name: StaticString) throws(TokenRejection) -> NumericDate? {
        guard let claim = json[member: name] else { return nil }
        guard let seconds = claim.real, seconds.isFinite else { throw .claimInvalid }
        return NumericDate(seconds: seconds)
    }

    /// The subject; every claim it can be taken from is, where present, a string of sensible length without ASCII control characters.
    func subject(_ rule: SubjectRule) throws(TokenRejection) -> String? {
        var subject: String?
        for path in rule.claims {
            guard let claim = path.value(in: json) else { continue }
            guard let text = claim.string, !text.isEmpty, text.utf8.count <= rule.longest else { throw .subjectInvalid }
            guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw .subjectInvalid }
            subject = subject ?? text
        }
        guard subject != nil || !rule.isRequired else { throw .subjectInvalid }
        return subject
    }

    /// Whether `aud` names one of the accepted audiences, byte for byte (RFC 7519 §4.1.3).
    ///
    /// A string or an array of 1 to 32 strings; anything else names no audience.
    func isAddressed(to audiences: [String]) -> Bool {
        guard let claim = json[member: "aud"] else { return false }
        switch claim.kind {
        case .string:
            return audiences.contains { claim.isString(equalTo: $0) }
        case .array:
            guard (1...32).contains(claim.count), claim.elements.allSatisfy({ $0.kind == .string }) else { return false }
            return claim.elements.contains { element in audiences.contains { element.isString(equalTo: $0) } }
        default:
            return false
        }
    }

    /// The strings of the first claim that is there: a string is split at spaces, an array gives its strings.
    ///
    /// Anything else gives nothing, never everything.
    func strings(in paths: [ClaimPath]) -> [String] {
        guard let claim = first(of: paths) else { return [] }
        switch claim.kind {
        case .string:
            // By bytes: a mark behind the space would join it to what follows.
            return claim.string?.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) } ?? []
        case .array: return claim.elements.compactMap(\.string)
        default: return []
        }
    }

    /// The first of the claims that is there and not null.
    public func first(of paths: [ClaimPath]) -> JSONValue? {
        for path in paths {
            if let claim = path.value(in: json), claim.kind != .null { return claim }
        }
        return nil
    }
}
