import StrictJSON
import TokenVerification

/// Events of the next 30 days that an operator may want to act on, the soonest first.
public struct ComingEvents: Sendable, Hashable {
    /// Longest time ahead of an event that is listed.
    public static let horizon: Duration = .seconds(30 * 86_400)
    /// Most events that are listed.
    public static let mostEvents = 50

    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A listener's certificate expires. Listed after that too.
        case certificateExpires = "certificate_expires"
        /// A rule in observe mode begins to refuse requests.
        case ruleEnforces = "rule_enforces"
        /// Added entries of the deny list end; the time is that of the first one.
        case denialsEnd = "denials_end"
        /// A key set that could not be fetched becomes too old to be used (`stale_for`).
        case keySetUnusable = "key_set_unusable"
    }

    public struct Event: Sendable, Hashable {
        public let kind: Kind
        /// Name of the certificate, rule or issuer. Nil for denials, whose entries name persons.
        public let name: String?
        /// Number of entries, for denials. Nil for other kinds.
        public let count: Int?
        public let time: NumericDate

        public init(_ kind: Kind, name: String? = nil, count: Int? = nil, at time: NumericDate) {
            (self.kind, self.name, self.count, self.time) = (kind, name, count, time)
        }
    }

    public let events: [Event]
    /// Number of events that are not listed, because there are too many.
    public let leftOut: Int

    /// - Parameter events: all events in any order, also those that are too far ahead.
    public init(_ events: [Event], at now: NumericDate) {
        let end = now + Self.horizon  // no overflow: reals
        let near = events.filter { $0.time < end }.sorted { $0.time < $1.time }
        self.events = Array(near.prefix(Self.mostEvents))
        leftOut = near.count &- self.events.count
    }
}

extension ComingEvents {
    /// Writes the events as members.
    func write(with json: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        json.objects("soon", events, into: &bytes) { event, json, bytes in
            json.member("event", string: event.kind.rawValue, into: &bytes)
            json.member("name", optional: event.name, into: &bytes)
            if let count = event.count { json.member("count", integer: count, into: &bytes) }
            json.member("at", string: event.time.description, into: &bytes)
        }
        json.member("soon_left_out", integer: leftOut, into: &bytes)
    }
}
