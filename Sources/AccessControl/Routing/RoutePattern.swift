/// Reason why a text is not the methods and path of a rule.
public enum RoutePatternRejection: Error, Hashable, Sendable {
    /// The text begins with the path.
    case missingMethods
    /// The text has no path.
    case missingPath
    /// Methods and path are not separated by exactly one space.
    case notOneSpace
    /// The part before the space is not a set of methods.
    case methods(MethodPatternRejection)
    /// The part after the space is not a path pattern.
    case path(PathPatternRejection)
}

/// Requests that a rule covers: methods and a path below the place, `GET,HEAD /orders/**`.
public struct RoutePattern: Sendable, Hashable, CustomStringConvertible {
    public let methods: MethodPattern
    public let path: PathPattern

    public init(methods: MethodPattern, path: PathPattern) {
        self.methods = methods
        self.path = path
    }

    /// Reads `METHODS PATH`.
    ///
    /// - Parameter ownMethods: methods that the file declares. They may have lower-case letters.
    public init(_ text: String, ownMethods: Set<String> = []) throws(RoutePatternRejection) {
        guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else { throw .missingPath }
        var head = text[..<slash]
        guard !head.isEmpty else { throw .missingMethods }
        guard head.popLast() == " ", head.last != " " else { throw .notOneSpace }
        do {
            methods = try MethodPattern(String(head), own: ownMethods)
        } catch {
            throw .methods(error)
        }
        do {
            path = try PathPattern(String(text[slash...]))
        } catch {
            throw .path(error)
        }
    }

    public var description: String { "\(methods) \(path)" }
}
