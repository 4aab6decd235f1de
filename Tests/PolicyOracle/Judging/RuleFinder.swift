/// Search for the resource and rule of a request.
struct RuleFinder {
    /// A rule, and the values of its parameters.
    struct Match {
        let rule: Rule
        let parameters: [String: String]
    }

    let policy: Policy

    /// The winning place and its resource: by host, then port, then path.
    func winner(_ authority: String, _ path: RequestPath) -> (resource: Resource, place: Place)? {
        let parts = authority.split(separator: ":").map(String.init)
        let name = parts[0].lowercased()
        let host = name.hasSuffix(".") ? String(name.dropLast()) : name
        let port = parts.count > 1 ? Int(parts[1]) : nil
        let places = policy.resources.flatMap { resource in resource.places.map { (resource: resource, place: $0) } }
            .filter { $0.place.covers(host, port, path.segments) }
        for kind in Place.HostKind.allCases {
            let ofKind = places.filter { $0.place.kind == kind }
            let withPort = ofKind.filter { $0.place.port != nil }
            let longest = (withPort.isEmpty ? ofKind : withPort).max { $0.place.path.count < $1.place.path.count }
            if let longest { return longest }
        }
        return nil
    }

    /// The most specific rule of a resource for the method.
    func match(_ method: String, _ path: RequestPath, below place: Place, of resource: Resource) -> Match? {
        let rest = Array(path.segments.dropFirst(place.path.count))
        let matching = resource.rules.compactMap { rule in
            rule.route.parameters(in: rest).flatMap { parameters in
                rule.route.specificity(method, hasFinalSlash: path.hasFinalSlash).map {
                    (match: Match(rule: rule, parameters: parameters), specificity: $0)
                }
            }
        }
        return matching.min { $0.specificity.lexicographicallyPrecedes($1.specificity) }?.match
    }
}
