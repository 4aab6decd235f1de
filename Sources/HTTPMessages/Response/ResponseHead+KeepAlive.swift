extension ResponseHead {
    /// Seconds without a request after which the upstream closes the connection, as it announces: `Keep-Alive:
    /// timeout=5` (RFC 2068 §19.7.1.1). The shortest, if there are several; at most ``longestIdleTime``. Nil if it
    /// announces none in digits.
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

    /// A day.
    public static let longestIdleTime = 86_400

    /// Value of a `timeout` parameter. Nil for another parameter, or a malformed one.
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
