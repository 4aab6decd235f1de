import TokenVerification

extension TrustedIssuer {
    /// Adds a hint for values of `iss` that differ from an accepted one only by the final slash.
    ///
    /// They are rejected anyway; the hint helps because the difference is easily overlooked. Call this last, so that a
    /// more specific hint takes precedence.
    mutating func refuseSlashTwins() {
        for text in identifiers.compactMap(\.exactText) {
            let hasSlash = text.hasSuffix("/")
            let twin = hasSlash ? String(text.dropLast()) : text + "/"
            guard !identifiers.contains(where: { $0.matches(twin) }),
                !refusedIdentifiers.contains(where: { $0.identifier.matches(twin) })
            else { continue }
            let difference = hasSlash ? "lacks the final slash" : "has a final slash too many"
            let hint =
                "The token's iss \(difference): this issuer is \(text). Whatever made the token is not set up for it."
            refusedIdentifiers.append(RefusedIssuer(IssuerIdentifier(twin), .issuerMismatch, hint: hint))
        }
    }
}
