import AccessControl
import RequestAuthorization
import TokenVerification

/// Request outcome used as metric labels; every value comes from configuration or a closed enum.
public struct Decision: Hashable, Sendable {
    /// The resource's identifier; nil where no resource matched.
    public let resource: String?
    /// The rule as the file has it; nil where none matched.
    public let rule: String?
    /// The operator's name of the issuer that the token claims; nil where no token was looked at or no trusted issuer
    /// claimed.
    public let issuer: String?
    /// Why Bearward answered itself, as in the access log; empty for a request that was forwarded and answered, and for
    /// a document of ours.
    public let reason: String

    /// The request's client went away, or was too late, before its answer was complete.
    public static let clientGone = "client_gone"
}

/// One event loop's requests since they were last handed over.
struct DecisionTally {
    /// Indices instead of names, so that counting a request makes no text.
    struct Key: Hashable {
        /// Of the configuration that the indices are for.
        let generation: Int
        let resource: ResourceIndex?
        let rule: RuleIndex?
        let issuer: IssuerIndex?
        let reason: RejectionReason?
        let isCutOff: Bool
    }

    private struct Entry {
        let labels: RequestLabels
        var count: UInt64
    }

    private var entries: [Key: Entry] = [:]
    /// The outcome of the last request.
    private var latest: Key?
    /// How many requests in a row had that outcome; they are added to the entries when the outcome changes.
    private var latestCount: UInt64 = 0

    /// - Parameter labels: the names of the places; asked for only when the last request had another outcome.
    mutating func add(_ key: Key, labels: @autoclosure () -> RequestLabels) {
        // Most requests have the same outcome as the one before, and then nothing is looked up.
        if latest == key { return latestCount &+= 1 }
        settle()
        if entries[key] == nil { entries[key] = Entry(labels: labels(), count: 0) }
        (latest, latestCount) = (key, 1)
    }

    private mutating func settle() {
        if let latest { entries[latest]?.count &+= latestCount }
        latest = nil
    }

    /// Adds the counts to the sums, and resets them.
    mutating func handOver(to sums: inout [Decision: UInt64]) {
        settle()
        for (key, entry) in entries {
            let decision = Decision(
                resource: entry.labels.resource(key.resource).map { String(decoding: $0, as: UTF8.self) },
                rule: entry.labels.rule(key.rule, of: key.resource).map { String(decoding: $0, as: UTF8.self) },
                issuer: entry.labels.issuer(key.issuer).map { String(decoding: $0, as: UTF8.self) },
                reason: key.reason?.label ?? (key.isCutOff ? Decision.clientGone : ""))
            sums[decision, default: 0] &+= entry.count
        }
        entries.removeAll(keepingCapacity: true)
    }

    var isEmpty: Bool { entries.isEmpty }
}
