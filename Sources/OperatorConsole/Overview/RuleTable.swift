import StrictJSON
import TokenVerification

/// Counts of the rules of the running configuration, since the start of the process.
public struct RuleTable: Sendable, Hashable {
    /// Most rules that are listed.
    public static let mostRules = 200

    /// Counts of one rule.
    public struct Row: Sendable, Hashable {
        /// The resource's identifier. Empty for requests that are for no resource.
        public let resource: String
        /// The rule as the file has it. Empty for requests that match no rule.
        public let rule: String
        /// Finished requests.
        public let requests: UInt64
        /// Requests that the gateway refused with 401.
        public let unauthorized: UInt64
        /// Requests that the gateway refused with 403.
        public let forbidden: UInt64
        /// Requests that the gateway refused with 429.
        public let tooMany: UInt64
        /// Answers with 5xx, of the gateway or of an upstream.
        public let serverErrors: UInt64
        /// Duration in seconds that 95 % of the requests did not exceed. Nil if there were none.
        public let percentile95: Double?
        /// Requests that the rule would have refused, were it not in observe mode.
        public let observed: UInt64
        /// Requests that the file of `--shadow` would answer in another way.
        public let shadowed: UInt64

        public init(
            resource: String, rule: String, requests: UInt64 = 0, unauthorized: UInt64 = 0, forbidden: UInt64 = 0,
            tooMany: UInt64 = 0, serverErrors: UInt64 = 0, percentile95: Double? = nil, observed: UInt64 = 0,
            shadowed: UInt64 = 0
        ) {
            (self.resource, self.rule, self.requests) = (resource, rule, requests)
            (self.unauthorized, self.forbidden, self.tooMany) = (unauthorized, forbidden, tooMany)
            (self.serverErrors, self.percentile95) = (serverErrors, percentile95)
            (self.observed, self.shadowed) = (observed, shadowed)
        }

        /// Requests that were refused or failed. Rules with more of them come first.
        var troubles: UInt64 { unauthorized &+ forbidden &+ tooMany &+ serverErrors }
    }

    /// The rules with most refused and failed requests first, then those with most requests.
    public let rows: [Row]
    /// Number of rules that no request has matched.
    public let neverHit: Int
    /// Number of rows that are not listed.
    public let leftOut: Int

    /// - Parameter rows: all rows, in the order of the file.
    public init(_ rows: [Row]) {
        let sorted = rows.enumerated().sorted { left, right in
            let (one, other) = (left.element, right.element)
            return (other.troubles, other.requests, left.offset) < (one.troubles, one.requests, right.offset)
        }
        self.rows = sorted.prefix(Self.mostRules).map(\.element)
        neverHit = rows.count { !$0.rule.isEmpty && $0.requests == 0 }
        leftOut = rows.count &- self.rows.count
    }
}

extension RuleTable {
    /// Writes the table as members.
    func write(with json: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        json.objects("rules", rows, into: &bytes) { row, json, bytes in
            json.member("resource", string: row.resource, into: &bytes)
            json.member("rule", string: row.rule, into: &bytes)
            let counts = [
                ("requests", row.requests), ("401", row.unauthorized), ("403", row.forbidden), ("429", row.tooMany),
                ("5xx", row.serverErrors), ("would_refuse", row.observed), ("shadow_differs", row.shadowed),
            ]
            for (name, count) in counts { json.member(name, integer: Int64(clamping: count), into: &bytes) }
            // Null if there is none.
            json.member("p95_ms", real: (row.percentile95 ?? .nan).milliseconds.hundredths, into: &bytes)
        }
        json.member("rules_never_hit", integer: neverHit, into: &bytes)
        json.member("rules_left_out", integer: leftOut, into: &bytes)
    }
}
