import AccessControl
import ProxySettings
import RequestAuthorization
import TokenVerification

extension Gateway {
    /// State of the upstreams in the running configuration.
    public var upstreams: [UpstreamReport] { reports { _, _ in true } }

    /// Takes a target out of rotation, or back in. It keeps its current requests. A reload that leaves the upstream
    /// unchanged keeps it drained.
    ///
    /// - Parameters:
    ///   - name: Target name, as in a report.
    ///   - resource, path: Selects one upstream. Nil for all upstreams that have a target of this name.
    /// - Returns: The upstreams with this target, after the change. Empty if none has it, or it is a single server that
    ///   needs no load balancing.
    public func drain(_ name: String, of resource: String?, below path: String?, _ isDrained: Bool) -> [UpstreamReport]
    {
        let now = EventLoopClock.now()
        return reports { report, fleet in
            guard resource ?? report.resource == report.resource, path ?? report.path == report.path else {
                return false
            }
            return fleet?.drain(name, isDrained, at: now) ?? false
        }
    }

    /// - Parameter selects: Called once for each upstream, before its targets are read.
    private func reports(_ selects: (_ place: UpstreamReport.Place, SharedFleet?) -> Bool) -> [UpstreamReport] {
        let (configuration, now) = (configuration, EventLoopClock.now())
        return configuration.authorizer.resources.flatMap { resource in
            zip(resource.upstreamRoutes.routes, resource.upstreams).compactMap { route, index in
                guard let group = configuration.upstreams[index] else { return nil }
                let fleet = fleet(for: group)
                let place = UpstreamReport.Place(
                    resource: resource.identifier, path: Self.prefix(of: route.path.description))
                guard selects(place, fleet) else { return nil }
                let targets =
                    if let fleet {
                        fleet.status(at: now).map { UpstreamReport.Target($0.target.name, $0.status, at: now) }
                    } else {
                        group.targets.map { UpstreamReport.Target($0.name, nil, at: now) }
                    }
                return UpstreamReport(place: place, targets: targets, waiting: fleet?.waitingCount ?? 0)
            }
        }
    }

    /// Path before `/**` in a pattern, such as `/orders` for `/orders/**`.
    private static func prefix(of pattern: String) -> String {
        let prefix = pattern.hasSuffix("/**") ? String(pattern.dropLast(3)) : pattern
        return prefix.isEmpty ? "/" : prefix
    }
}
