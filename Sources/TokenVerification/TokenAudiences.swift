import StrictJSON

/// The audiences that a verified token names, read once for as many questions as there are resources.
public struct TokenAudiences: Sendable {
    private let issuer: TrustedIssuer
    private let names: Set<[UInt8]>
    /// Whether the token has no `aud`, and its issuer's tokens need none.
    private let areUnneeded: Bool

    fileprivate init(_ token: VerifiedToken) {
        issuer = token.issuer
        names = Set(token.claims.audiences.compactMap { $0.string.map { Array($0.utf8) } })
        areUnneeded = issuer.audienceTest([]).holds(for: token.claims)
    }

    /// Whether the token's audience, as its issuer understands it, is one of these.
    public func include(anyOf audiences: [String]) -> Bool {
        areUnneeded || issuer.audiences(naming: audiences).contains { names.contains(Array($0.utf8)) }
    }
}

extension VerifiedToken {
    public var audiences: TokenAudiences { TokenAudiences(self) }
}
