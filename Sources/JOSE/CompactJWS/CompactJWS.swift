import ByteWords
import StrictJSON

/// The three parts of a compact JWS (RFC 7515 §7.1), as ranges of the token's own bytes.
///
/// Does not check the content of the parts. The third part may be empty, so that an unsigned token is rejected for its
/// algorithm.
public struct CompactJWS: Sendable, Hashable {
    public let protectedHeader: Range<Int>
    public let payload: Range<Int>
    public let signature: Range<Int>
    /// Range of the signed bytes: header, dot and payload exactly as received.
    public let signingInput: Range<Int>
    /// True if a part ends with padding. The ranges of the parts do not contain it.
    public let isPadded: Bool

    init(
        protectedHeader: Range<Int>, payload: Range<Int>, signature: Range<Int>, signingInput: Range<Int>,
        isPadded: Bool
    ) {
        (self.protectedHeader, self.payload, self.signature) = (protectedHeader, payload, signature)
        (self.signingInput, self.isPadded) = (signingInput, isPadded)
    }

    /// Splits a token. Reads no further than the fifth dot.
    public init(_ token: Span<UInt8>) throws(CompactJWSRejection) {
        let dots = Dots(token)
        try dots.checkCount()
        protectedHeader = 0..<dots.first
        payload = (dots.first &+ 1)..<dots.second
        signature = (dots.second &+ 1)..<token.count
        signingInput = 0..<dots.second
        isPadded = false
        guard !protectedHeader.isEmpty, !payload.isEmpty else { throw .emptyPart }
        // Four characters encode three bytes, so a single character after the groups of four is impossible.
        let lengthsAreSound = protectedHeader.count % 4 != 1 && payload.count % 4 != 1 && signature.count % 4 != 1
        guard dots.areBetweenBase64URL, lengthsAreSound else { throw .notBase64URL }
    }
}

/// Reason why a token is not a compact JWS.
public enum CompactJWSRejection: Error, Hashable, Sendable {
    /// The token has no dot, so it is opaque.
    case noDots
    case tooFewParts
    /// The token has four parts, or more than five.
    case tooManyParts
    /// The token has five parts: it is a JWE (RFC 7516 §7.1).
    case encrypted
    /// The header or the payload is empty, for example a detached payload (RFC 7515 appendix F).
    case emptyPart
    /// A part has a byte outside the base64url alphabet, or a length that base64url cannot have (RFC 4648 §5).
    case notBase64URL
}

/// Offsets of a token's first two dots, the number of dots up to the fifth, and whether all other bytes are base64url.
private struct Dots {
    var count = 0
    var first = 0
    var second = 0
    var areBetweenBase64URL = true

    init(_ token: Span<UInt8>) {
        var index = 0
        while index < token.count {
            let word = ByteWord(token, at: index, filler: UInt8(ascii: "A"))
            var dots = word.equal(to: UInt8(ascii: "."))
            if !(~(Base64URL.characters(in: word) | dots)).isEmpty { areBetweenBase64URL = false }
            while !dots.isEmpty {
                count &+= 1
                if count == 1 { first = index &+ dots.first }
                if count == 2 { second = index &+ dots.first }
                if count == 5 { return }
                dots = dots.withoutFirst
            }
            index &+= ByteWord.byteCount
        }
    }

    func checkCount() throws(CompactJWSRejection) {
        switch count {
        case 0: throw .noDots
        case 1: throw .tooFewParts
        case 2: return
        case 4: throw .encrypted
        default: throw .tooManyParts
        }
    }
}

/// Protected header of a token (RFC 7515 §4). Reading it fails if it requires something that is never supported.
///
/// Nothing in it is verified. Members that bring a key or its location (`jku`, `jwk`, `x5u`, `x5c`, `x5t`, `x5t#S256`)
/// are ignored like unknown ones, and never opened. A recipient need not use them (RFC 7515 §4.1.2–4.1.8), and the key
/// comes from the issuer's set alone. A null member counts as present. Does not check whether the algorithm is allowed.
public struct ProtectedHeader: Sendable, Hashable {
    /// `alg` as written in the header.
    public let algorithmName: String
    /// The algorithm that `alg` names. Nil if it is not in the table.
    public let algorithm: HeaderAlgorithm?
    public let keyID: String?
    /// `typ` as written in the header. Nil if the header has none. Compare it without regard to case: it is a media
    /// type (RFC 7515 §4.1.9).
    public let type: String?
    /// True if a `nonce` of any form is present. It marks an access token that Entra made for another of Microsoft's
    /// APIs.
    public let hasNonce: Bool
    /// Members that say who signed the token, or that repeat claims.
    public let statement: HeaderStatement

    /// Greatest length of an accepted `kid`, in bytes.
    public static let longestKeyID = 256

    /// Reads a decoded header. The causes of rejection are checked in the order of ``ProtectedHeaderRejection``'s
    /// cases.
    public init(parsing json: Span<UInt8>) throws(ProtectedHeaderRejection) {
        let header = try Self.object(parsing: json)
        guard let name = header[member: "alg"]?.string else { throw .algorithmMissing }
        try Self.checkExtensions(of: header)
        algorithmName = name
        algorithm = HeaderAlgorithm(name: name)
        keyID = try Self.keyID(of: header)
        type = try Self.type(of: header)
        hasNonce = header[member: "nonce"] != nil
        statement = HeaderStatement(header)
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
        // No extension is supported, so the members that `crit` lists would be ignored. RFC 7515 §4.1.11 forbids that,
        // and an empty list.
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

/// Reason why a protected header is rejected. The causes are checked in this order.
public enum ProtectedHeaderRejection: Error, Hashable, Sendable {
    /// The header is not one strict JSON object within the limits for headers.
    case notJSONObject
    /// `alg` is absent or not a string.
    case algorithmMissing
    /// The header has `crit`, with any value (RFC 7515 §4.1.11).
    case critical
    /// The header has `b64`, with any value (RFC 7797).
    case unencodedPayload
    /// The header has `zip`, with any value.
    case compressed
    /// `cty` declares that the payload is itself a JWT.
    case nested
    /// The header has `enc`, with any value, so it is a JWE's header.
    case encrypted
    /// `kid` is not a string, empty, or too long.
    case keyIDInvalid
    /// `typ` is not a string.
    case typeInvalid
}
