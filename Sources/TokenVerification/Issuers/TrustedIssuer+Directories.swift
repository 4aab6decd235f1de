import StrictJSON

/// The tenant and the organization in an issuer's tokens.
extension TrustedIssuer {
    /// The organization that the claims name, or the issuer's audience of an organization. Nil if they name none.
    func organization(in claims: ClaimsSet) -> String? {
        if let organization = claims.first(of: organizationClaims)?.string { return organization }
        guard let prefix = organizationAudiencePrefix, let audience = claims.json[member: "aud"]?.string,
            audience.utf8.starts(with: prefix.utf8)
        else { return nil }
        return String(audience.utf8.dropFirst(prefix.utf8.count))
    }

    /// The directory (tenant) that the subject belongs to, or the issuer's realm. Nil if no claim names it.
    func tenant(in claims: ClaimsSet) -> String? {
        if let realms { return realms.realm(of: claims.issuer ?? identifier) }
        return claims.first(of: tenantClaims)?.string
    }
}
