import NetworkNames
import StrictJSON

/// Binds a token to the directory (tenant) that it claims to come from.
///
/// A platform signs the tokens of all its directories with the same keys, so a valid signature proves only the
/// platform. The rule therefore requires that `tid` is an accepted tenant, and that `iss` belongs to the same tenant.
public struct DirectoryRule: Sendable, Hashable {
    /// Accepted tenants, in lower case. Nil if every tenant is accepted, which an operator must configure explicitly.
    public let allowed: Set<String>?

    public init(allowed: Set<String>?) {
        self.allowed = allowed
    }

    /// Returns the token's tenant. Throws if the claims contradict each other, or the tenant is not accepted.
    ///
    /// - Parameter identifier: the identifier that `iss` matched.
    func tenant(of claims: ClaimsSet, identifier: IssuerIdentifier) throws(TokenRejection) -> String {
        guard let tenant = claims.json[member: "tid"]?.string, !Self.hasTwin(claims), let issuer = claims.issuer else {
            throw .tenantMismatch
        }
        if let rejection = rejection(of: tenant, issuer: issuer, identifier) { throw rejection }
        return tenant
    }

    /// The rejection of a token of this tenant. Nil if the tenant is accepted and `iss` belongs to it.
    ///
    /// - Parameter identifier: the identifier that `iss` matched.
    public func rejection(of tenant: String, issuer: String, _ identifier: IssuerIdentifier) -> TokenRejection? {
        guard Self.isGUID(tenant) else { return .tenantMismatch }
        if let expected = identifier.tenant {
            guard expected.utf8.elementsEqual(tenant.utf8) else { return .tenantMismatch }
        } else if let allowed, !allowed.contains(tenant) {
            return .tenantNotAllowed
        }
        return identifier.matches(issuer, tenant: tenant) ? nil : .tenantMismatch
    }

    /// True if another member's name differs from `tid` only in case. Other software could read that member as `tid`.
    private static func hasTwin(_ claims: ClaimsSet) -> Bool {
        claims.json.members.count { $0.name.lowercased() == "tid" } > 1
    }

    /// True for a GUID: 8-4-4-4-12 hexadecimal digits.
    public static func isGUID(_ text: String) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return false }
        return groups.allSatisfy { $0.utf8.allSatisfy { byte in ASCII.hexDigit(byte) != nil } }
    }
}
