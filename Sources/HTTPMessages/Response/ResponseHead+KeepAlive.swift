import NetworkNames

extension ResponseHead {
    /// The idle timeout in seconds after which the upstream closes the connection, from `Keep-Alive: timeout=5` (RFC
    /// 2068 §19.7.1.1).
    ///
    /// The shortest if there are several, and at most ``longestIdleTime``. Nil if the upstream states none, or not in
    /// digits.
    public var idleSeconds: Int? {
        var shortest: Int?
        for field in fields(named: .keepAlive) {
            var elements = ListElements(field.value)
            while let element = elements.next(in: bytes.span) {
                guard let seconds = Self.timeout(bytes.span.extracting(element)) else { continue }
                shortest = min(shortest ?? seconds, seconds)
            }
        }
        return shortest
    }

    /// Upper limit of an upstream's idle timeout in seconds: one day.
    public static let longestIdleTime = 86_400

    /// The value of a `timeout` parameter. Nil for another parameter or a malformed one.
    private static func timeout(_ parameter: Span<UInt8>) -> Int? {
        let name: StaticString = "timeout="
        guard parameter.hasPrefix(name), parameter.count > name.utf8CodeUnitCount else { return nil }
        var seconds = 0
        for index in name.utf8CodeUnitCount..<parameter.count {
            guard ASCII.isDigit(parameter[index]) else { return nil }
            seconds = min(seconds &* 10 &+ Int(parameter[index] &- ASCII.zero), longestIdleTime)
        }
        return seconds
    }
}
