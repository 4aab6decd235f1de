import NetworkNames
import TokenVerification

/// Error for two equal places, by their indices.
public struct PlaceConflict: Error, Hashable, Sendable {
    public let first: PlaceIndex
    public let second: PlaceIndex
}

/// The place that covers a request, as found in a `PlaceTable`.
public struct PlaceMatch: Sendable, Hashable {
    public let placeIndex: PlaceIndex
    /// Number of leading segments of the path that belong to the place.
    public let segments: Int
}

/// The places of all resources in a lookup table, which finds the place of a request.
///
/// Among the places that cover a request, an exact host is preferred to `*.`, and that to any host; then a place with a
/// port to one without; then the longest path in whole segments. The order of the places never matters, and no lookup
/// allocates.
public struct PlaceTable: Sendable {
    /// Maps a host and port to the node at which its paths begin.
    private var hosts = EdgeTable()
    private var literals = EdgeTable()
    /// Bit set of the kinds of hosts in the table, with and without a port. Kinds that are not in it are not looked up.
    private var kinds: UInt8 = 0
    /// The place that ends at each node. Nil if none does.
    private var placeIndices: [Int32?] = []

    public init(_ places: [PlacePattern]) throws(PlaceConflict) {
        for (index, place) in places.enumerated() {
            kinds |= Self.bit(place.host.kind, hasPort: place.port != nil)
            var node = child(of: Self.entry(place.host.kind, place.port), over: place.host.key, in: \.hosts)
            for segment in place.segments { node = child(of: node, over: segment, in: \.literals) }
            if let first = placeIndices[Int(node)] {
                throw PlaceConflict(first: PlaceIndex(Int(first)), second: PlaceIndex(index))
            }
            placeIndices[Int(node)] = Int32(truncatingIfNeeded: index)
        }
    }

    /// The place of a request. Nil if there is none.
    ///
    /// - Parameters:
    ///   - host: the request's host without its port, in any case; an IPv6 address in brackets. Nil if the request has
    ///     none.
    ///   - port: the request's port. It is ignored unless a place names it.
    public func match(host: Span<UInt8>?, port: Int?, path: RequestPath) -> PlaceMatch? {
        if let host, kinds & ~Self.bits(.any) != 0, let match = match(host, port: port, path: path) { return match }
        return longest(.any, Span(), port: port, path: path)
    }

    private func match(_ host: Span<UInt8>, port: Int?, path: RequestPath) -> PlaceMatch? {
        var key = HostKey()
        guard key.read(host) else { return nil }
        let bytes = key.bytes.span
        if let match = longest(key.kind, bytes.extracting(key.range), port: port, path: path) { return match }
        guard kinds & Self.bits(.subdomain) != 0, let parent = key.parent else { return nil }
        return longest(.subdomain, bytes.extracting(parent), port: port, path: path)
    }

    /// The match with the longest path for one host, first among places with the port, then among those without a port.
    /// Nil if no place matches.
    private func longest(_ kind: HostKind, _ host: Span<UInt8>, port: Int?, path: RequestPath) -> PlaceMatch? {
        if let port, kinds & Self.bit(kind, hasPort: true) != 0, (1...65535).contains(port),
            let node = hosts.target(from: Self.entry(kind, port), over: host),
            let match = longest(below: node, path)
        {
            return match
        }
        guard kinds & Self.bit(kind, hasPort: false) != 0 else { return nil }
        guard let node = hosts.target(from: Self.entry(kind, nil), over: host) else { return nil }
        return longest(below: node, path)
    }

    private func longest(below node: Int32, _ path: RequestPath) -> PlaceMatch? {
        var node = node
        var longest = placeIndices[Int(node)].map { PlaceMatch(placeIndex: PlaceIndex(Int($0)), segments: 0) }
        var index = 0
        while index < path.segmentCount, let child = path.child(of: node, over: index, in: literals) {
            node = child
            index &+= 1
            if let place = placeIndices[Int(node)] {
                longest = PlaceMatch(placeIndex: PlaceIndex(Int(place)), segments: index)
            }
        }
        return longest
    }

    private static func bit(_ kind: HostKind, hasPort: Bool) -> UInt8 {
        1 &<< (kind.rawValue &* 2 &+ (hasPort ? 1 : 0))
    }

    private static func bits(_ kind: HostKind) -> UInt8 { bit(kind, hasPort: true) | bit(kind, hasPort: false) }

    /// The start node of `hosts` for one kind of host and port. It is different for each.
    private static func entry(_ kind: HostKind, _ port: Int?) -> Int32 {
        Int32(truncatingIfNeeded: kind.rawValue) << 16 | Int32(UInt16(truncatingIfNeeded: port ?? 0))
    }

    private mutating func child(of node: Int32, over bytes: [UInt8], in edges: WritableKeyPath<Self, EdgeTable>)
        -> Int32
    {
        if let child = self[keyPath: edges].target(from: node, over: bytes.span) { return child }
        placeIndices.append(nil)
        let child = Int32(truncatingIfNeeded: placeIndices.count &- 1)
        self[keyPath: edges].insert(from: node, over: bytes, to: child)
        return child
    }
}

extension HostPattern {
    fileprivate var kind: HostKind {
        switch self {
        case .any: .any
        case .name: .name
        case .subdomain: .subdomain
        case .address: .address
        }
    }

    /// The bytes to which a request's `HostKey` must be equal.
    fileprivate var key: [UInt8] {
        switch self {
        case .any: []
        case .name(let name), .subdomain(let name): [UInt8](name.utf8)
        case .address(let address): (0..<16).map(address.byte)
        }
    }
}
