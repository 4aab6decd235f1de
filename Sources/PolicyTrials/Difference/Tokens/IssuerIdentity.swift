import RequestAuthorization
import TokenVerification

/// Issuer that a token names: its `iss`, and its `tid` if the issuer serves several directories.
struct IssuerIdentity: Hashable {
    let identifier: String
    /// Value of `tid`. Nil if no issuer with this `iss` checks it.
    let tenant: String?

    /// ID of a directory that no file lists.
    static let anyTenant = "00000000-0000-4000-8000-000000000000"

    /// Test for tokens with these values of `iss` and `tid`.
    var test: TokenTest {
        let issuer = TokenTest.exactly(ClaimPath(member: "iss"), [.string(identifier)])
        guard let tenant else { return issuer }
        return .all([issuer, .exactly(ClaimPath(member: "tid"), [.string(tenant)])])
    }

    /// Identities that the rules of these issuers distinguish, in order and without duplicates.
    static func all(of issuers: [TrustedIssuer]) -> [IssuerIdentity] {
        let listed = issuers.flatMap { $0.identifiers.compactMap(\.tenant) + ($0.directory?.allowed?.sorted() ?? []) }
        let tenants = [anyTenant] + listed
        let ofRealms = RealmPattern.examples(
            of: issuers.compactMap(\.realms), besides: issuers.flatMap(\.identifiers).compactMap(\.exactText))
        var identities: [IssuerIdentity] = []
        for issuer in issuers {
            for identifier in issuer.identifiers {
                let isShared = issuers.contains { $0.directory != nil && $0.names(identifier) }
                let found =
                    if let text = identifier.exactText {
                        isShared
                            ? tenants.map { IssuerIdentity(identifier: text, tenant: $0) }
                            : [IssuerIdentity(identifier: text, tenant: nil)]
                    } else if let pattern = issuer.realms {
                        ofRealms.filter { pattern.realm(of: $0) != nil }.map {
                            IssuerIdentity(identifier: $0, tenant: nil)
                        }
                    } else {
                        tenants.map {
                            IssuerIdentity(
                                identifier: identifier.description.replacing("{tenantid}", with: $0), tenant: $0)
                        }
                    }
                for identity in found where !identities.contains(identity) { identities.append(identity) }
            }
        }
        return identities
    }
}

extension TrustedIssuer {
    /// Whether this issuer may also accept a token with the `iss` of the other identifier. True for any template.
    fileprivate func names(_ other: IssuerIdentifier) -> Bool {
        guard let text = other.exactText else { return true }
        return identifiers.contains { $0.matches(text) }
    }

    /// The identifier that matches the token's `iss`. Nil if none matches, or if this issuer does not accept tokens of
    /// that directory.
    func identifier(of identity: IssuerIdentity) -> IssuerIdentifier? {
        guard let identifier = identifiers.first(where: { $0.matches(identity.identifier) }) else { return nil }
        guard let directory else { return identifier }
        guard let tenant = identity.tenant else { return nil }
        return directory.rejection(of: tenant, issuer: identity.identifier, identifier) == nil ? identifier : nil
    }
}

extension ProtectedResource {
    /// The issuer that the resource accepts this token from, and its accepted audiences. Nil if it trusts no such
    /// issuer.
    func accepted(
        _ identity: IssuerIdentity, among issuers: IndexedBy<IssuerIndex, TrustedIssuer>
    ) -> (issuer: TrustedIssuer, audiences: [String])? {
        let known = self.issuers.compactMap { accepted in issuers[accepted.issuer].map { ($0, accepted.audiences) } }
        let exact = known.first { issuer, _ in
            issuer.identifiers.contains {
                $0.exactText.map { $0.utf8.elementsEqual(identity.identifier.utf8) } ?? false
            }
        }
        let found =
            exact
            ?? known.first { issuer, _ in
                issuer.identifiers.contains { $0.exactText == nil && $0.matches(identity.identifier) }
            }
        return found.map { issuer, audiences in (issuer, issuer.audiences(naming: audiences)) }
    }
}
