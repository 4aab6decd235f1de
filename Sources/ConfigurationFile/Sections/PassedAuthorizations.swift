import ProxySettings
import RequestAuthorization
import TokenVerification

/// Checks of resources that pass the client's own `Authorization` to their upstream.
struct PassedAuthorizations {
    let resources: [ReadResource]
    let upstreams: IndexedBy<UpstreamIndex, UpstreamGroup>

    /// Reports each resource that passes a header in which tokens are read: at the resource itself, or at another one
    /// of the same upstream. The upstream could not tell judged tokens from others. Warns of any other that passes it.
    ///
    /// - Parameter values: `forward.authorization` of the resources that pass it, by their identifier.
    func judge(_ values: [String: Value]) {
        for resource in resources where resource.terms.passesAuthorization {
            guard let value = values[resource.terms.identifier] else { continue }
            guard !readsAuthorization(resource) else {
                value.report(
                    "`Authorization` has the token of this resource, so it cannot be passed as another's",
                    hint: "write `keep`, or name the token's header in `token_header`")
                continue
            }
            judge(resource, value)
        }
    }

    private func judge(_ resource: ReadResource, _ value: Value) {
        let own = targets(of: resource)
        for other in resources where readsAuthorization(other) {
            guard let shared = targets(of: other).first(where: own.contains) else { continue }
            let target =
                shared.isEmpty ? "is reached through `doors` alone, as this one" : "has the same upstream `\(shared)`"
            value.report(
                "`Authorization` is the credential of `\(other.terms.identifier)`, which \(target)",
                hint: "give one of the two a `token_header` or an upstream of its own")
            return
        }
        value.warn(
            "the upstream gets an `Authorization` that nobody has judged, also on public and optional rules",
            hint: "have the upstream check it in every request",
            weakens: .authorization)
    }

    private func readsAuthorization(_ resource: ReadResource) -> Bool {
        resource.terms.tokenPlaces.contains(.authorization)
    }

    /// Addresses of the resource's upstreams. An empty one if only the proxies at doors know them.
    private func targets(of resource: ReadResource) -> [String] {
        let addresses = resource.terms.upstreams.flatMap { upstreams[$0]?.targets.map(\.countedAs) ?? [] }
        return addresses.isEmpty ? [""] : addresses
    }
}
