import AccessControl
import HTTPMessages
import TypedIndices

/// What an operator should know about a request that is at no resource: which place it would be at on another host, or with another path.
struct PlaceHints: Sendable {
    /// The places by their paths alone.
    private let paths: PlaceTable?
    /// In the order of `paths`.
    private let places: IndexedBy<PlaceIndex, Place>
    /// Those that have a path.
    private let below: [Place]

    private struct Place: Sendable {
        /// As the file has it.
        let name: String
        let routes: RouteTable
    }

    /// Each of them is tried for a request: more would make it dear to refuse.
    private static let mostTried = 16

    init(_ resources: some Sequence<ProtectedResource>) {
        let places = resources.flatMap { resource in resource.places.map { (place: $0, routes: resource.routes) } }
        var taken: Set<PlacePattern> = []
        let first = places.filter { taken.insert($0.place.onAnyHost).inserted }
        paths = try? PlaceTable(first.map(\.place.onAnyHost))
        self.places = IndexedBy(first.map { Place(name: $0.place.description, routes: $0.routes) })
        below = places.filter { $0.place.segmentCount > 0 }.prefix(Self.mostTried).map {
            Place(name: $0.place.description, routes: $0.routes)
        }
    }

    /// - Parameter request: one that is at no place.
    func hint(for request: borrowing AuthorizationRequest) -> String? {
        let method = request.head.bytes.span.extracting(request.head.method)
        let match = paths?.match(host: nil, port: nil, path: request.path)
        let elsewhere = match.flatMap { places[$0.placeIndex] }
        if let match, let elsewhere,
            match.segments > 0 || elsewhere.routes.match(method: method, path: request.path, below: 0) != nil
        {
            return "The path is that of `at: \(elsewhere.name)`, but the request's host or port is another."
        }
        for place in below where place.routes.match(method: method, path: request.path, below: 0) != nil {
            return "A rule below `at: \(place.name)` is for such a path, but the path does not begin with that place's."
        }
        return elsewhere.map { "The request's host or port is not that of `at: \($0.name)`." }
    }
}
