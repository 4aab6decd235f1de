/// Parameters of one Bearer challenge (RFC 6750 §3), as a simple client parses them.
public struct ReceivedChallenge: Sendable, Hashable {
    private let parameters: [String: String]

    /// Parses a `WWW-Authenticate` field. Returns nil unless it is one Bearer challenge with quoted values only.
    ///
    /// Splits at every comma: Bearward guarantees that no value contains one.
    public init?(_ field: String) {
        guard field.hasPrefix("Bearer ") else { return nil }
        var parameters: [String: String] = [:]
        for parameter in field.dropFirst("Bearer ".count).split(separator: ",") {
            let sides = parameter.drop { character in character == " " }.split(separator: "=", maxSplits: 1)
            guard sides.count == 2, let name = sides.first, let value = sides.last, value.count >= 2,
                value.hasPrefix("\""),
                value.hasSuffix("\"")
            else { return nil }
            parameters[String(name)] = String(value.dropFirst().dropLast())
        }
        self.parameters = parameters
    }

    public subscript(_ name: String) -> String? {
        parameters[name]
    }
}
