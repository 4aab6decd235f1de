import HTTPMessages
import ProxySettings

/// Reads `health`.
enum HealthReader {
    /// Reads the settings. Nil if something is invalid, which was then reported.
    static func read(_ value: Value) -> HealthCheck? {
        guard let section = Section(value, of: HealthKeys.self) else { return nil }
        var check = HealthCheck.defaults
        let isRight = section.assign(to: &check)
        guard let question = question(section), isRight else { return nil }
        check.question = question
        return check
    }

    private static func question(_ section: Section<HealthKeys>) -> HealthCheck.Question? {
        let expected = section.read(\.expect).value
        guard let grpc = section[\.grpc] else {
            guard let path = section.required(\.path), let expected else { return nil }
            return .http(path: path, expect: expected)
        }
        if let other = section[\.path] ?? section[\.expect], let name = other.path.key {
            return other.refuseMissing("`\(name)` has no effect together with `grpc`", hint: "keep one of them")
        }
        return grpc.someText(expected: "a service such as `shop.Cart`, or `*`").map {
            .grpc(service: $0 == "*" ? "" : $0)
        }
    }

    /// Reads a path in the form of a request line; it may have a query. Nil after an error, which is reported.
    static func path(_ value: Value) -> String? {
        guard let text = value.someText(expected: "a path such as `/healthz`") else { return nil }
        guard text.hasPrefix("/"), !text.contains("#"), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return value.refuse("`\(text)` is not a path", hint: "write `/healthz`")
        }
        return text
    }

    static func statuses(_ value: Value) -> ClosedRange<Int>? {
        guard let text = value.someText(expected: "a status or a range such as `200-299`") else { return nil }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let bounds = parts.compactMap {
            $0.count == 3 && ("1"..."5").contains($0.prefix(1)) ? Quantity.digits($0) : nil
        }
        guard parts.count <= 2, bounds.count == parts.count, let first = bounds.first, let last = bounds.last,
            first <= last
        else { return value.refuse("`\(text)` is not a status or a range", hint: "write `200` or `200-299`") }
        return first...last
    }
}
