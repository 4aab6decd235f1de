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
                let targets =
                    if let fleet = fleet(for: group) {
                        fleet.status(at: now).map { UpstreamReport.Target($0.target.name, $0.status, at: now) }
                    } else {
                        group.targets.map { UpstreamReport.Target($0.name, nil, at: now) }
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
