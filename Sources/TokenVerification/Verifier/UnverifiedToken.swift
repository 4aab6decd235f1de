import ByteWords
import JOSE
import StrictJSON

/// A parsed token. Nothing in it is verified; use it only to find the token's issuer and key.
public struct UnverifiedToken: Sendable {
    /// Byte ranges of the token's parts.
    public let jws: CompactJWS
    public let header: ProtectedHeader
    /// The algorithm that the header names, from the closed table.
    public let algorithm: HeaderAlgorithm
    public let claims: ClaimsSet
    /// True if the header came from the cache and was not parsed.
    let headerWasKnown: Bool

    /// Splits and parses `token`. Throws if no key could make the token valid.
    ///
    /// Checks the compact form, base64url, the header's JSON, `alg` against the closed table, the header members that
    /// are never supported, and the claims' JSON. Checks neither signature, nor issuer, nor any claim.
    ///
    /// - Parameters:
    ///   - headers: the cache of parsed headers. Nil if there is none.
    ///   - padding: whether the parts may end with padding.
    public init(_ token: Span<UInt8>, _ headers: KnownHeaders? = nil, padding: CompactJWS.Padding = .refused)
        throws(TokenRejection)
    {
        try self.init(token, parts: try Self.split(token, padding), headers)
    }

    /// Parses a token that is already split.
    ///
    /// - Parameter jws: the parts of `token`.
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

    private static func split(_ token: Span<UInt8>, _ padding: CompactJWS.Padding) throws(TokenRejection) -> CompactJWS
    {
        do {
            return try CompactJWS(token, padding: padding)
        } catch {
            throw TokenRejection(error)
        }
    }

    /// Parses only a token's header, to show its content. Nil if it cannot be read.
    public static func header(of token: Span<UInt8>) -> ProtectedHeader? {
        guard let jws = try? CompactJWS(token, padding: .accepted) else { return nil }
        return try? header(token.extracting(jws.protectedHeader))
    }

    /// Parses only a token's claims, to show their content. Nil if they cannot be read.
    public static func claims(of token: Span<UInt8>) -> ClaimsSet? {
        guard let jws = try? CompactJWS(token, padding: .accepted),
            let payload = Base64URL.decode(token.extracting(jws.payload))
        else {
            return nil
        }
        return try? ClaimsSet(parsing: payload.span)
    }

    /// Parses only the claims of these names, of a token that was verified before. Nil if they cannot be read.
    public static func claims(named names: [String], ofProved token: Span<UInt8>) -> ClaimsSet? {
        let first = token.endOfPart(from: 0)
        let second = token.endOfPart(from: first &+ 1)
        guard second < token.count, let payload = Base64URL.decode(token.extracting(first &+ 1..<second)),
            let excerpt = JSONExcerpt.object(in: payload.span, members: names)
        else {
            // Its parts may end with padding.
            return claims(of: token)
        }
        return try? ClaimsSet(parsing: excerpt.span)
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
    /// Reason for rejecting a text that is not a compact JWS, if no issuer is asked about opaque tokens.
    public init(_ rejection: CompactJWSRejection) {
        self = rejection == .noDots ? .opaqueNotSupported : .malformed
    }
}

extension Span<UInt8> {
    /// Offset of the first dot from `start` on. The count of the bytes if there is none.
    fileprivate func endOfPart(from start: Int) -> Int {
        firstOffset(from: start, filler: UInt8(ascii: "A")) { $0.equal(to: UInt8(ascii: ".")) }
    }
}
