import AccessControl
import ProxySettings
import RequestAuthorization
import TypedIndices

extension Gateway {
    /// How the upstreams of the running configuration are doing.
    public var upstreams: [UpstreamReport] {
        let (configuration, now) = (configuration, EventLoopClock.now())
        return configuration.authorizer.resources.flatMap { resource in
            zip(resource.upstreamRoutes.routes, resource.upstreams).compactMap { route, index in
                guard let group = configuration.upstreams[index] else { return nil }
                let status = fleet(for: group)?.status(at: now)
                let targets = group.targets.enumerated().map { place, target in
                    UpstreamReport.Target(target.name, status.flatMap { $0.indices.contains(place) ? $0[place] : nil }, at: now)
                }
                return UpstreamReport(resource: resource.identifier, path: Self.prefix(of: route.path.description), targets: targets)
            }
        }
    }

    /// Of `/orders/**` the path that comes before the rest.
    private static func prefix(of pattern: String) -> String {
        let prefix = pattern.hasSuffix("/**") ? String(pattern.dropLast(3)) : pattern
        return prefix.isEmpty ? "/" : prefix
    }
}
