import AccessControl
import StrictJSON
import TokenVerification

/// Metadata of a resource, for clients that discover it from a 401 (RFC 9728).
struct ResourceMetadata: Sendable {
    /// URL of the document, for `resource_metadata` in challenges (RFC 9728 §5.1).
    let url: String
    /// The document, one JSON object (RFC 9728 §2).
    let document: [UInt8]
    /// Host and path of the document, as a place that requests are matched with. Nil if the resource's identifier is no
    /// valid place.
    let identifierPlace: PlacePattern?

    /// Path segments between host and path of the resource's identifier (RFC 9728 §3).
    static let path = [".well-known", "oauth-protected-resource"]

    /// Creates the metadata. Nil if the resource's identifier is not an https URL, or the resource publishes none.
    init?(_ resource: ProtectedResource, issuers: [TrustedIssuer], scopeNames: ScopeNames) {
        guard let url = resource.metadataURL else { return nil }
        self.url = url
        document = Self.document(resource, issuers, scopeNames)
        identifierPlace = (try? PlacePattern(resourceIdentifier: resource.identifier))?.below(Self.path)
    }

    private static func document(_ resource: ProtectedResource, _ issuers: [TrustedIssuer], _ scopeNames: ScopeNames)
        -> [UInt8]
    {
        JSONObjectWriter.object { json, bytes in
            json.member("resource", string: resource.identifier, into: &bytes)
            let servers = unique(issuers.flatMap(\.authorizationServers))
            // Arrays without elements are omitted (RFC 9728 §3.2).
            if !servers.isEmpty { json.member("authorization_servers", strings: servers, into: &bytes) }
            let scopes = unique(scopeNames.all(resource.policies.flatMap(\.knownScopes)))
            if !scopes.isEmpty { json.member("scopes_supported", strings: scopes, into: &bytes) }
            // `header` means `Authorization` (RFC 9728 §2).
            let methods = resource.tokenPlaces.contains(.authorization) ? ["header"] : []
            json.member("bearer_methods_supported", strings: methods, into: &bytes)
        }
    }

    /// Removes duplicates, in the order of first appearance.
    private static func unique(_ texts: [String]) -> [String] {
        var seen: Set<String> = []
        return texts.filter { seen.insert($0).inserted }
    }
}

extension ProtectedResource {
    /// URL of the metadata document. Nil if the identifier is not an https URL, or the resource publishes none.
    public var metadataURL: String? {
        let scheme = "https://"
        guard publishesMetadata, identifier.utf8.count > scheme.utf8.count, identifier.lowercased().hasPrefix(scheme)
        else { return nil }
        let rest = identifier.dropFirst(scheme.count)
        let host = rest.prefix { $0 != "/" }
        let path = rest.dropFirst(host.count)
        return scheme + host + "/" + ResourceMetadata.path.joined(separator: "/") + (path == "/" ? "" : path)
    }
}
