import JOSE
import StrictJSON
import Testing

/// A token parsed by the modules that the gateway uses.
struct ReadToken {
    let header: ProtectedHeader
    let claims: JSONValue
    private let bytes: [UInt8]
    private let parts: CompactJWS

    private init(header: ProtectedHeader, claims: JSONValue, bytes: [UInt8], parts: CompactJWS) {
        self.header = header
        self.claims = claims
        self.bytes = bytes
        self.parts = parts
    }

    static func reading(_ token: String) throws -> ReadToken {
        let bytes = Array(token.utf8)
        let parts = try CompactJWS(bytes.span)
        let header = try decoded(bytes[parts.protectedHeader])
        let claims = try JSONDocument(parsing: try decoded(bytes[parts.payload]), limits: .claimsSet).root
        return ReadToken(header: try ProtectedHeader(parsing: header.span), claims: claims, bytes: bytes, parts: parts)
    }

    /// Nil if the set has no key for the token.
    func verdict(in keys: KeySet) throws -> SignatureVerdict? {
        let algorithm = try #require(header.algorithm)
        guard case .found(let key, let resolved) = keys.key(keyID: header.keyID ?? "", algorithm: algorithm) else {
            return nil
        }
        let signature = try Self.decoded(bytes[parts.signature])
        return key.verify(
            signature: signature.span, signingInput: bytes.span.extracting(parts.signingInput), algorithm: resolved)
    }

    private static func decoded(_ text: ArraySlice<UInt8>) throws -> [UInt8] {
        try #require(Base64URL.decode(String(decoding: text, as: UTF8.self)))
    }
}

extension KeySet {
    /// The keys that a server publishes now.
    static func published(by issuer: String) async throws -> KeySet {
        let answer = try await Answer.get(issuer + "/jwks")
        return try KeySet(parsing: answer.body.span)
    }
}
