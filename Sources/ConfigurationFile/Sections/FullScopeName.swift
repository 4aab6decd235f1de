import AccessControl
import IssuerProfiles
import TokenVerification

/// Warns of scopes in rules that are written with the full name by which clients ask for them. Tokens have a shorter
/// name.
enum FullScopeName {
    static func judge(_ policy: AccessPolicy, _ rule: Value.Member, of accepted: [AcceptanceReader.Accepted]) {
        for scope in policy.knownScopes {
            // A full name that is wrong for one issuer's tokens may be right for another's.
            let names = accepted.filter(\.issuer.hasScopes).map { ($0.issuer, $0.shortName(of: scope)) }
            guard let (issuer, short) = names.first, let short, names.allSatisfy({ $0.1 != nil }) else { continue }
            let message = "`\(scope)` is what apps ask for: tokens of `\(issuer.name)` have the short name `\(short)`"
            rule.warnKey(message, hint: "write `\(short)`")
        }
    }
}

extension AcceptanceReader.Accepted {
    /// Shorter name of the scope in tokens. Nil if tokens may have the scope as it is written.
    fileprivate func shortName(of scope: String) -> String? {
        scopeTemplate?.scope(in: scope) ?? issuer.shortName(of: scope)
    }
}

extension NamedIssuer {
    fileprivate var hasScopes: Bool { configured.map { !$0.trusted.scopeClaims.isEmpty } ?? true }

    /// Shorter name of the scope in this issuer's tokens. Nil if they may have the scope as it is written.
    fileprivate func shortName(of scope: String) -> String? {
        guard let trusted = configured?.trusted else { return nil }
        if !trusted.scopePrefix.isEmpty, scope.utf8.starts(with: trusted.scopePrefix.utf8) {
            return rest(of: scope, after: trusted.scopePrefix.utf8.count)
        }
        guard profiled?.shortensScopes == true, scope.contains("://"),
            let slash = scope.utf8.lastIndex(of: UInt8(ascii: "/"))
        else {
            return nil
        }
        let short = String(scope[scope.utf8.index(after: slash)...])
        // `…/.default` means scopes that are configured at the identity system.
        return short.isEmpty || short == ".default" ? nil : short
    }

    private func rest(of scope: String, after count: Int) -> String? {
        let rest = String(decoding: scope.utf8.dropFirst(count), as: UTF8.self)
        return rest.isEmpty ? nil : rest
    }
}
