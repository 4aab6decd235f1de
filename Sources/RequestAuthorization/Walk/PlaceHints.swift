import AccessControl
import HTTPMessages
import TokenVerification

/// Hints for the operator about a request that is at no resource: the place that it would be at on another host, or
/// with another path.
struct PlaceHints: Sendable {
    private struct Place: Sendable {
        /// Name of the place, as an entry of `at` is written.
        let name: String
        let segments: Int
        let routes: RouteTable
    }

    /// Places, looked up by a part of their patterns: the path or the host.
    private struct Index: Sendable {
        private let table: PlaceTable?
        private let places: IndexedBy<PlaceIndex, [Place]>

        /// Most places stored for one key. Each is tried for a request; more would make a rejection expensive.
        static let most = 16

        init(_ all: [(PlacePattern, Place)], by part: (PlacePattern) -> PlacePattern) {
            var keys: [PlacePattern] = []
            var found: [PlacePattern: [Place]] = [:]
            for (pattern, place) in all {
                let key = part(pattern)
                if found[key] == nil { keys.append(key) }
                if found[key, default: []].count < Self.most { found[key, default: []].append(place) }
            }
            table = try? PlaceTable(keys)
            places = IndexedBy(keys.map { found[$0] ?? [] })
        }

        func places(_ find: (PlaceTable) -> PlaceMatch?) -> (places: [Place], segments: Int)? {
            guard let match = table.flatMap(find), let places = places[match.placeIndex] else { return nil }
            return (places, match.segments)
        }
    }

    private let byPath: Index
    private let byHost: Index
    /// Up to ``Index/most`` of the places that have a path.
    private let below: [Place]

    init(_ resources: some Sequence<ProtectedResource>) {
        let places = resources.flatMap { resource in
            resource.places.map {
                ($0, Place(name: $0.description, segments: $0.segmentCount, routes: resource.routes))
            }
        }
        byPath = Index(places, by: \.onAnyHost)
        byHost = Index(places, by: \.withoutPath)
        below = Array(places.lazy.map(\.1).filter { $0.segments > 0 }.prefix(Index.most))
    }

    /// Returns a hint for a request that is at no place. Nil if no place resembles it.
    ///
    /// - Parameter request: a request that is at no place.
    func hint(for request: borrowing AuthorizationRequest) -> String? {
        let path = request.path
        let host = byHost.places { $0.match(request) }?.places
        let anyHost = byHost.places { $0.match(host: nil, port: nil, path: path) }?.places
        let here = ((host ?? []) + (anyHost ?? [])).filter { $0.segments > 0 }
        let near = Self.fit(here, request, at: 0)
        if let place = near.asSuch { return Self.lacksPath(of: place) }
        let elsewhere = byPath.places { $0.match(host: nil, port: nil, path: path) }
        if let (places, segments) = elsewhere {
            let far = Self.fit(places, request, at: segments)
            if let place = far.asSuch ?? far.any ?? (segments > 0 ? places.first : nil) {
                return Self.isElsewhere(place)
            }
        }
        if let place = Self.fit(below, request, at: 0).asSuch { return Self.isFarFrom(place) }
        guard host == nil, anyHost == nil else { return nil }
        return elsewhere?.places.first.map { "The request's host or port is not that of `at: \($0.name)`." }
    }

    /// Finds the first place with a rule for the request's path from a segment on (`asSuch`): the rule's pattern has a
    /// literal segment. `any` is the first place whose rule has none.
    ///
    /// A pattern without a literal segment matches any path that a scanner sends, so `any` says nothing about places
    /// below which the path is not.
    private static func fit(
        _ places: [Place], _ request: borrowing AuthorizationRequest, at segments: Int
    ) -> (asSuch: Place?, any: Place?) {
        let method = request.head.bytes.span.extracting(request.head.method)
        var any: Place?
        for place in places {
            guard let match = place.routes.match(method: method, path: request.path, below: segments) else { continue }
            if place.routes.routes[match.ruleIndex]?.path.hasLiteral == true { return (place, any) }
            any = any ?? place
        }
        return (nil, any)
    }

    private static func lacksPath(of place: Place) -> String {
        "A rule below `at: \(place.name)` is for such a path, but the path does not begin with that place's."
    }

    private static func isFarFrom(_ place: Place) -> String {
        "A rule below `at: \(place.name)` is for such a path, but neither host nor path of the request is that place's."
    }

    private static func isElsewhere(_ place: Place) -> String {
        "The path is that of `at: \(place.name)`, but the request's host or port is another."
    }
}
