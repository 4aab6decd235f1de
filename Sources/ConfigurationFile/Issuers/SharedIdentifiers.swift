import IssuerProfiles
import KeySets
import TokenVerification

/// Checks issuers that share an `iss`. Keys prove an `iss`, so two issuers must not prove the same one with different
/// keys.
struct SharedIdentifiers {
    private struct Known {
        let identifier: IssuerIdentifier
        let keySets: Set<KeySetConfiguration.Identity>
        let issuer: NamedIssuer

        /// Key sets that prove this `iss`, which the identifier matches.
        func keySets(proving text: String) -> Set<KeySetConfiguration.Identity> {
            guard let realms = issuer.configured?.realms, let realm = realms.pattern.realm(of: text) else {
                return keySets
            }
            return [realms.keySet(of: realm).identity]
        }

        /// True if a proxy signs these tokens in the name of the issuer. Its keys prove the proxy, which the header
        /// names, so the issuer's own may differ.
        var isOfProxy: Bool { issuer.configured?.trusted.signerRule != nil }
    }

    /// Reports each issuer that contradicts an earlier one.
    static func judge(_ issuers: [NamedIssuer]) {
        var known: [Known] = []
        for issuer in issuers {
            let own = identifiers(of: issuer)
            if let (text, first) = contradiction(own, known) {
                issuer.member.reportKey(
                    "the issuer `\(text)` is also `\(first.name)` at \(first.position), with different key sets",
                    hint: Self.hint(for: issuer, first),
                )
            }
            known += own
        }
    }

    /// `iss` that both issuers accept. Nil if there is none.
    static func identifier(of one: TrustedIssuer, and other: TrustedIssuer) -> String? {
        for own in one.identifiers {
            for theirs in other.identifiers {
                if let text = own.common(with: theirs) { return text }
            }
        }
        return nil
    }

    private static func hint(for one: NamedIssuer, _ other: NamedIssuer) -> String {
        if case .policy = one.configured?.trusted.keyBinding, one.profile == other.profile {
            return "write one issuer with the `policies` of both"
        }
        if let words = one.tenantWord.flatMap({ word in other.tenantWord.map { [word, $0] } }),
            Set(words) == ["common", "organizations"]
        {
            return "write `tenant: common` in both"
        }
        if one.profile == .kubernetes, other.profile == .kubernetes {
            // If both had the keys of both clusters, the accounts of one cluster would count as those of the other.
            return "give each cluster an `iss` of its own (`--service-account-issuer`), and write it as `issuer`"
        }
        return "give both the same `jwks_uri`, `jwks_file`, `keys`, `ca_file`, `plain_http` and credentials"
    }

    /// An `iss` that different key sets prove, with the earlier issuer that has it. Nil if there is none.
    private static func contradiction(_ own: [Known], _ known: [Known]) -> (String, NamedIssuer)? {
        for one in own where !one.isOfProxy {
            for other in known where !other.isOfProxy {
                guard let text = one.identifier.common(with: other.identifier) else { continue }
                // A directory's tokens are bound to their tenant, so one tenant may have an issuer of its own.
                guard one.identifier.isFamilyOfTenants == other.identifier.isFamilyOfTenants else { continue }
                if other.keySets(proving: text) != one.keySets(proving: text) { return (text, other.issuer) }
            }
        }
        return nil
    }

    /// Each `iss` of the issuer with the key sets that can prove it.
    private static func identifiers(of issuer: NamedIssuer) -> [Known] {
        guard let configured = issuer.configured else { return [] }
        return configured.trusted.identifiers.map { identifier in
            let keySets = keySets(behind: identifier, of: configured)
            return Known(identifier: identifier, keySets: Set(keySets.map(\.identity)), issuer: issuer)
        }
    }

    private static func keySets(behind identifier: IssuerIdentifier, of configured: ConfiguredIssuer)
        -> [KeySetConfiguration]
    {
        // User flows of Azure AD B2C share one `iss`, but each has separate keys.
        if case .policy = configured.trusted.keyBinding { return Array(configured.keySets) }
        if configured.trusted.mergesKeySets { return Array(configured.keySets) }
        return configured.keySets[identifier.keySet].map { [$0] } ?? Array(configured.keySets)
    }
}

extension NamedIssuer {
    /// Word in place of the tenant in the metadata address of an Entra ID issuer. Nil if it names a tenant, or for
    /// other issuers.
    fileprivate var tenantWord: String? {
        guard profile == .entraID, let source = configured?.keySets.first?.source.description else { return nil }
        return ["common", "organizations"].first { source.contains("/\($0)/") }
    }
}
