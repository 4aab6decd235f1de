import NetworkNames

/// Origins whose pages may read responses (CORS).
public enum AllowedOrigins: Sendable, Hashable {
    /// Every origin except `null`.
    case any
    case listed([OriginPattern])

    /// - Parameter origin: the value of the single `Origin` field.
    public func contain(_ origin: Span<UInt8>) -> Bool {
        switch self {
        case .any: !Self.isNull(origin)
        case .listed(let patterns): patterns.contains { $0.matches(origin) }
        }
    }

    /// The origins as the file has them. `*` for every one.
    public var names: [String] {
        switch self {
        case .any: ["*"]
        case .listed(let patterns): patterns.map(\.description)
        }
    }

    private static func isNull(_ origin: Span<UInt8>) -> Bool {
        guard origin.count == 4 else { return false }
        for (index, byte) in "null".utf8.enumerated() where ASCII.lowercased(origin[index]) != byte { return false }
        return true
    }
}
