import AccessControl
import IssuerProfiles
import RequestAuthorization
import TokenVerification

/// Warns where clients are told scopes by names for which their issuer refuses them.
enum UnaskedScopes {
    static func judge(_ resource: ReadResource) {
        let scopes = resource.rules.rules.flatMap { $0.policy?.knownScopes ?? [] }
            .filter { !ScopeTemplate.isOfOpenIDConnect($0) }
        guard !scopes.isEmpty else {
            resource.askFor?.warnPlace("no rule asks for a scope that it could name", hint: "leave it out")
            return
        }
        // What is a URI already may well be what clients ask for.
        guard resource.terms.metadataURL != nil, !scopes.allSatisfy({ $0.contains("://") }) else { return }
        for accepted in resource.accepted where accepted.scopeTemplate == nil {
            guard let template = accepted.proposedTemplate else { continue }
            let name = accepted.issuer.name
            resource.member.warnKey(
                "clients ask `\(name)` for scopes by longer names than its tokens have, and are told those of its tokens",
                hint: "write `ask_for: {\(name): \"\(template)\"}` if that begins with the API's Application ID URI")
        }
    }
}

extension AcceptanceReader.Accepted {
    /// How clients ask a system that has long names for scopes, as far as that can be told; nil: it has none.
    fileprivate var proposedTemplate: String? {
        guard let prefix = issuer.profiled?.scopeURIPrefix else { return nil }
        let texts = audiences.map(\.text)
        guard let uri = texts.first(where: { $0.contains("://") }) ?? texts.first.map({ prefix + $0 }) else {
            return nil
        }
        return uri + (uri.hasSuffix("/") ? "" : "/") + ScopeTemplate.placeholder
    }
}
