/// What requests at a place look like, for whoever makes some.
extension PlacePattern {
    /// A host that the place covers, as it stands in a URL; nil: it covers every host.
    ///
    /// - Parameter label: what stands where the place takes any label.
    public func host(label: String) -> String? {
        switch host {
        case .any: nil
        case .name, .address: host.description
        case .subdomain(let name): "\(label).\(name)"
        }
    }
}

extension RequestPath {
    /// The canonical text of a path with these decoded segments.
    public static func text(of segments: [[UInt8]]) -> String {
        segments.isEmpty ? "/" : segments.map { "/" + PathLiteral.description(of: $0) }.joined()
    }
}
