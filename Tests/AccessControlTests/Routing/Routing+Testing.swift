import TokenVerification

@testable import AccessControl

extension RequestPath {
    /// The canonical form of a path that must have one.
    init(_ text: String) throws(PathRejection) {
        self.init()
        try canonicalize([UInt8](text.utf8).span)
    }

    var text: String { String(decoding: canonical, as: UTF8.self) }

    var segmentTexts: [String] {
        (0..<segmentCount).compactMap { segment(at: $0) }.map { String(decoding: $0, as: UTF8.self) }
    }
}

extension PathRejection {
    /// Rejection of the path. Nil if it is accepted.
    static func of(_ bytes: [UInt8]) -> PathRejection? {
        var path = RequestPath()
        do throws(PathRejection) {
            try path.canonicalize(bytes.span)
            return nil
        } catch {
            return error
        }
    }

    static func of(_ text: String) -> PathRejection? { of([UInt8](text.utf8)) }
}

extension RouteTable {
    convenience init(_ routes: String...) throws {
        try self.init(routes.map { try RoutePattern($0) })
    }

    /// The matching rule, as written, for `METHOD PATH`.
    func rule(_ request: String, below place: String = "/") throws -> String? {
        try match(request, below: place).flatMap { routes[$0.ruleIndex]?.description }
    }

    func match(_ request: String, below place: String = "/") throws -> RouteMatch? {
        let parts = request.split(separator: " ")
        let segments = try RequestPath(place).segmentCount
        return match(method: [UInt8](parts[0].utf8).span, path: try RequestPath(String(parts[1])), below: segments)
    }
}

extension PlaceTable {
    /// The index of the place for a host, with or without a port, and a path.
    func place(host: String?, port: Int? = nil, _ path: String) throws -> PlaceIndex? {
        try find(host: host, port: port, path)?.placeIndex
    }

    func find(host: String?, port: Int? = nil, _ path: String) throws -> PlaceMatch? {
        let path = try RequestPath(path)
        guard let host else { return match(host: nil, port: port, path: path) }
        return match(host: [UInt8](host.utf8).span, port: port, path: path)
    }
}
