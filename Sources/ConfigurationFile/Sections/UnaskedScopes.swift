import AccessControl
import IssuerProfiles
import RequestAuthorization
import TokenVerification

/// Warns of scopes that challenges and metadata name otherwise than the issuer accepts them in a client's request.
enum UnaskedScopes {
    static func judge(_ resource: ReadResource) {
        let scopes = resource.rules.rules.flatMap { $0.policy?.knownScopes ?? [] }
            .filter { !ScopeTemplate.isOfOpenIDConnect($0) }
        guard !scopes.isEmpty else {
            resource.askFor?.warnPlace("has no effect: no rule asks for a scope", hint: "leave it out")
            return
        }
        // A scope that is a URI may already be the name that clients ask for.
        guard resource.terms.metadataURL != nil, !scopes.allSatisfy({ $0.contains("://") }) else { return }
        for accepted in resource.accepted where accepted.scopeTemplate == nil {
            guard let template = accepted.proposedTemplate else { continue }
            let name = accepted.issuer.name
            resource.member.warnKey(
                "clients must ask `\(name)` for scopes by longer names than its tokens have, but challenges show the short ones",
                hint: "write `ask_for: {\(name): \"\(template)\"}` if that begins with the API's Application ID URI")
        }
    }
}

extension AcceptanceReader.Accepted {
    /// Template for the long scope names of the issuer's system, as far as it can be derived. Nil if the system has
    /// none.
    fileprivate var proposedTemplate: String? {
        guard let prefix = issuer.profiled?.scopeURIPrefix else { return nil }
        let texts = audiences.map(\.text)
        guard let uri = texts.first(where: { $0.contains("://") }) ?? texts.first.map({ prefix + $0 }) else {
            return nil
        }
        return uri + (uri.hasSuffix("/") ? "" : "/") + ScopeTemplate.placeholder
    }
}
