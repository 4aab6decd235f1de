import HTTPMessages
import JOSE
import StrictJSON
import TokenVerification

/// The values of a request's token that may be shown, each cut to a length that depends on whether it is proved. Parsed
/// on demand: most rejections need the header or the claims, few both.
struct SeenToken {
    /// Bytes of the request's head.
    private let bytes: [UInt8]
    /// Range of the token in the head. Nil if there is no readable token.
    private let place: Range<Int>?
    /// Claims of a token with a valid signature, or those of the introspection response. Nil if there are none.
    private let known: ClaimsSet?
    /// True if the token is cached: its signature was verified before, and its claims were parsed.
    private let isCached: Bool
    /// Most bytes of a shown value.
    private let longest: Int
    /// Whether the tokens of some issuer of the resource may have padding.
    private let padding: CompactJWS.Padding

    private static let (longestUnproved, longestProved) = (128, 512)

    init(
        _ request: borrowing AuthorizationRequest, _ facts: AuthorizationFacts, at place: TokenPlace,
        padding: CompactJWS.Padding
    ) {
        bytes = request.head.bytes
        self.padding = padding
        isCached = facts.hasRecord
        // The characters of a cached token were checked before.
        self.place =
            facts.isOpaque ? nil : isCached ? request.head.presumedToken(at: place) : request.head.token(at: place)
        known = facts.token?.claims ?? facts.signed?.claims ?? facts.introspected
        longest = known != nil || isCached ? Self.longestProved : Self.longestUnproved
    }

    var header: ProtectedHeader? { place.flatMap { UnverifiedToken.header(of: bytes.span.extracting($0)) } }

    /// Fault of the token's form. Nil if the form has none, or there is no token that could be read.
    var fault: String? {
        place.flatMap { place in
            let token = bytes.span.extracting(place)
            // A token without other faults has padding that its issuer does not write.
            return (TokenFault(of: token, padding: padding) ?? TokenFault(of: token))?.description
        }
    }

    var claims: ClaimsSet? { known ?? place.flatMap { UnverifiedToken.claims(of: bytes.span.extracting($0)) } }

    /// At least the claims of these names. Of a cached token, little more is parsed. Nil if there is no readable token.
    func claims(named names: [String]) -> ClaimsSet? {
        guard isCached, known == nil, let place else { return claims }
        return UnverifiedToken.claims(named: names, ofProved: bytes.span.extracting(place))
    }

    /// The value of a claim as JSON.
    func shown(claim: StaticString) -> String {
        claims?.json[member: claim].map { cut($0.serialized()) } ?? "missing"
    }

    /// Scopes joined by spaces, as tokens have them; as a JSON array if a scope contains a space.
    func shown(scopes: [String]) -> String {
        guard scopes.contains(where: { $0.utf8.contains(UInt8(ascii: " ")) }) else {
            return shown(scopes.joined(separator: " "))
        }
        return cut(
            [UInt8(ascii: "[")] + scopes.map(\.serializedAsJSON).joined(separator: [UInt8(ascii: ",")]) + [
                UInt8(ascii: "]")
            ])
    }

    func shown(_ text: String?) -> String {
        text.map { cut($0.serializedAsJSON) } ?? "missing"
    }

    private func cut(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.utf8.count > longest ? text.prefix(utf8Count: longest) + "…" : text
    }
}
