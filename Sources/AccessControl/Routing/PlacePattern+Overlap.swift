extension PlacePattern {
    /// False if no request can be at both places. True does not prove that one can.
    public func mayOverlap(_ other: PlacePattern) -> Bool {
        guard host.mayOverlap(other.host) else { return false }
        if let port, let otherPort = other.port, port != otherPort { return false }
        return zip(segments, other.segments).allSatisfy { $0 == $1 }
    }
}

extension HostPattern {
    fileprivate func mayOverlap(_ other: HostPattern) -> Bool {
        switch (self, other) {
        case (.any, _), (_, .any): true
        case (.name(let name), .subdomain(let parent)), (.subdomain(let parent), .name(let name)):
            name.utf8.count > parent.utf8.count && name.hasSuffix("." + parent)
        default: self == other
        }
    }
}
