import StrictJSON

/// Query of `/api/refusals`: members of the access log that a line must have, and how many lines are asked for.
struct RefusalQuery: Hashable {
    /// A fault in a query, as words for the answer.
    struct Fault: Error, Hashable {
        let words: String
    }

    /// Members that can be asked for, named as in the access log.
    private static let members = ["reason", "rule", "issuer", "client", "client_id", "request_id"]
    static let defaultLimit = 100
    static let greatestLimit = 10_000
    /// Limits of a line. Lines are longer than a request's head only by their escapes.
    private static let lineLimits = JSONLimits(depth: JSONLimits.greatestDepth, members: .max, bytes: .max)

    /// Values that a line must have.
    private(set) var values: [String: String] = [:]
    private(set) var limit = defaultLimit

    /// - Parameter parameters: names and values of the query, decoded.
    init(_ parameters: some Sequence<(String, String)>) throws(Fault) {
        var names: Set<String> = []
        for (name, value) in parameters {
            guard names.insert(name).inserted else { throw Fault(words: "a parameter is there twice") }
            try take(name, value)
        }
    }

    private mutating func take(_ name: String, _ value: String) throws(Fault) {
        if Self.members.contains(name) {
            values[name] = value
        } else if name == "limit" {
            guard let number = Int(value), (1...Self.greatestLimit).contains(number) else {
                throw Fault(words: "limit is 1 to \(Self.greatestLimit)")
            }
            limit = number
        } else {
            // A parameter that is not known must not show more than was asked for.
            throw Fault(words: "the parameters are \(Self.members.joined(separator: ", ")) and limit")
        }
    }

    /// True if the line has all values.
    func matches(_ line: [UInt8]) -> Bool {
        guard !values.isEmpty else { return true }
        guard let document = try? JSONDocument(parsing: line, limits: Self.lineLimits) else { return false }
        let root = document.root
        return values.allSatisfy { name, value in root[name]?.isString(equalTo: value) == true }
    }
}
