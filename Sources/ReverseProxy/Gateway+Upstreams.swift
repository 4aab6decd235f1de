import AccessControl
import ProxySettings
import RequestAuthorization
import TokenVerification

extension Gateway {
    /// How the upstreams of the running configuration are doing.
    public var upstreams: [UpstreamReport] { reports { _, _ in true } }

    /// Takes a target out, or brings it back; it keeps the requests that it has. A reload that leaves the upstream as
    /// it is leaves that too.
    ///
    /// - Parameters:
    ///   - name: as in a report.
    ///   - resource, path: of which upstream; nil: of all that have a target of this name.
    /// - Returns: the upstreams with such a target, as they are now; none: nobody has it, or it is the only server and
    ///   nothing can be chosen.
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

    /// - Parameter selects: called once for each upstream, before its targets are looked at.
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

    /// Of `/orders/**` the path that comes before the rest.
    private static func prefix(of pattern: String) -> String {
        let prefix = pattern.hasSuffix("/**") ? String(pattern.dropLast(3)) : pattern
        return prefix.isEmpty ? "/" : prefix
    }
}
