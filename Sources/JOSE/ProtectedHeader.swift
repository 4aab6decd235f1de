import StrictJSON

/// What a token's protected header says (RFC 7515 §4) once everything Bearward refuses unopened is ruled out.
///
/// Nothing in it is verified. Members that bring a key or say where one is (`jku`, `jwk`, `x5u`, `x5c`, `x5t`,
/// `x5t#S256`) are ignored like unknown ones, and never opened: a recipient need not use them (RFC 7515 §4.1.2–4.1.8),
/// and the key comes from the issuer's set alone. A null member is there. Whether the algorithm is allowed is not
/// judged here.
public struct ProtectedHeader: Sendable, Hashable {
    /// `alg` as written.
    public let algorithmName: String
    /// Nil if `alg` is not in the table.
    public let algorithm: HeaderAlgorithm?
    public let keyID: String?
    /// `typ` as written: media types compare without regard to case (RFC 7515 §4.1.9).
    public let type: String?
    /// Whether a `nonce` of any form is present, the mark of an access token that Entra made for another of its own
    /// APIs.
    public let hasNonce: Bool

    /// The longest `kid` taken, in bytes.
    public static let longestKeyID = 256

    /// Reads a decoded header. The refusals come in the order of ``ProtectedHeaderRejection``'s cases.
    public init(parsing json: Span<UInt8>) throws(ProtectedHeaderRejection) {
        let header = try Self.object(parsing: json)
        guard let name = header[member: "alg"]?.string else { throw .algorithmMissing }
        try Self.checkExtensions(of: header)
        algorithmName = name
        algorithm = HeaderAlgorithm(name: name)
        keyID = try Self.keyID(of: header)
        type = try Self.type(of: header)
        hasNonce = header[member: "nonce"] != nil
    }

    private static func object(parsing json: Span<UInt8>) throws(ProtectedHeaderRejection) -> JSONValue {
        do throws(JSONRejection) {
            let root = try JSONDocument(parsing: json, limits: .joseHeader).root
            guard root.kind == .object else { throw JSONRejection.notObjectOrArray }
            return root
        } catch {
            throw .notJSONObject
        }
    }

    private static func checkExtensions(of header: JSONValue) throws(ProtectedHeaderRejection) {
        // No extension is understood, so whatever `crit` lists would be ignored, which RFC 7515 §4.1.11 forbids; an
        // empty list is invalid.
        if header[member: "crit"] != nil { throw .critical }
        if header[member: "b64"] != nil { throw .unencodedPayload }
        if header[member: "zip"] != nil { throw .compressed }
        if let contentType = header[member: "cty"]?.string, isNested(contentType) { throw .nested }
        if header[member: "enc"] != nil { throw .encrypted }
    }

    private static func isNested(_ contentType: String) -> Bool {
        switch contentType.lowercased() {
        case "jwt", "application/jwt": true
        default: false
        }
    }

    private static func keyID(of header: JSONValue) throws(ProtectedHeaderRejection) -> String? {
        guard let value = header[member: "kid"] else { return nil }
        guard let keyID = value.string, !keyID.isEmpty, keyID.utf8.count <= longestKeyID else { throw .keyIDInvalid }
        return keyID
    }

    private static func type(of header: JSONValue) throws(ProtectedHeaderRejection) -> String? {
        guard let value = header[member: "typ"] else { return nil }
        guard let type = value.string else { throw .typeInvalid }
        return type
    }
}

/// Why a protected header is refused, in the order the causes are looked for.
public enum ProtectedHeaderRejection: Error, Hashable, Sendable {
    /// Not one strict JSON object within the limits for a header.
    case notJSONObject
    /// `alg` is absent or no string.
    case algorithmMissing
    /// `crit` in any form (RFC 7515 §4.1.11).
    case critical
    /// `b64` in any form (RFC 7797).
    case unencodedPayload
    /// `zip` in any form.
    case compressed
    /// `cty` says the payload is itself a JWT.
    case nested
    /// `enc` in any form: a JWE's header.
    case encrypted
    /// `kid` is no string, empty, or too long.
    case keyIDInvalid
    /// `typ` is no string.
    case typeInvalid
}
