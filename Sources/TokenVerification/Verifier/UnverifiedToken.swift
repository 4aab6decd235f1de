import JOSE

/// A parsed token, with nothing about it proved: only good for finding its issuer and key.
public struct UnverifiedToken: Sendable {
    /// Byte ranges of the token's parts.
    public let jws: CompactJWS
    public let header: ProtectedHeader
    /// The algorithm the header names, from the closed table.
    public let algorithm: HeaderAlgorithm
    public let claims: ClaimsSet
    /// Whether the header was not parsed because its bytes were known.
    let headerWasKnown: Bool

    /// Splits and parses `token`; refuses what no key could make good.
    ///
    /// Checks the compact form, base64url, the header's JSON, `alg` against the closed table, the header members that
    /// are never honoured, and the claims' JSON. Checks neither signature, nor issuer, nor any claim.
    ///
    /// - Parameter headers: where headers need not be parsed again.
    public init(_ token: Span<UInt8>, _ headers: KnownHeaders? = nil) throws(TokenRejection) {
        try self.init(token, parts: try Self.split(token), headers)
    }

    /// The same of a token that is split already.
    ///
    /// - Parameter jws: its own parts.
    public init(_ token: Span<UInt8>, parts jws: CompactJWS, _ headers: KnownHeaders?) throws(TokenRejection) {
        self.jws = jws
        let encoded = token.extracting(jws.protectedHeader)
        let known = headers?.header(of: encoded)
        headerWasKnown = known != nil
        header = if let known { known } else { try Self.header(encoded) }
        guard let algorithm = header.algorithm else { throw .algorithmNotAllowed }
        self.algorithm = algorithm
        guard let payload = Base64URL.decode(token.extracting(jws.payload)) else { throw .malformed }
        claims = try ClaimsSet(parsing: payload.span)
    }

    private static func split(_ token: Span<UInt8>) throws(TokenRejection) -> CompactJWS {
        do {
            return try CompactJWS(token)
        } catch {
            throw TokenRejection(error)
        }
    }

    /// A token's header alone, to tell what is in it; nil where it has none that can be read.
    public static func header(of token: Span<UInt8>) -> ProtectedHeader? {
        guard let jws = try? CompactJWS(token) else { return nil }
        return try? header(token.extracting(jws.protectedHeader))
    }

    /// A token's claims alone, likewise.
    public static func claims(of token: Span<UInt8>) -> ClaimsSet? {
        guard let jws = try? CompactJWS(token), let payload = Base64URL.decode(token.extracting(jws.payload)) else {
            return nil
        }
        return try? ClaimsSet(parsing: payload.span)
    }

    private static func header(_ part: Span<UInt8>) throws(TokenRejection) -> ProtectedHeader {
        guard let json = Base64URL.decode(part) else { throw .malformed }
        do {
            return try ProtectedHeader(parsing: json.span)
        } catch {
            switch error {
            case .notJSONObject, .keyIDInvalid, .typeInvalid: throw .malformed
            case .algorithmMissing: throw .algorithmNotAllowed
            case .critical, .unencodedPayload, .compressed, .nested, .encrypted: throw .unsupportedHeader
            }
        }
    }
}

extension TokenRejection {
    /// The reason for what is no compact JWS, where nobody is asked about opaque tokens.
    public init(_ rejection: CompactJWSRejection) {
        self = rejection == .noDots ? .opaqueNotSupported : .malformed
    }
}
