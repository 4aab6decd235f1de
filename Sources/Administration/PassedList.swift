import StrictJSON

/// Answer of `/api/passed`: the callers whom a rule permitted in the last hour.
public struct PassedList: Sendable, Hashable {
    public struct Caller: Sendable, Hashable {
        /// True if it is the client that the tokens were issued to, false if it is their subject.
        public let isClient: Bool
        public let caller: CallerList.Caller

        public init(isClient: Bool, _ caller: CallerList.Caller) {
            (self.isClient, self.caller) = (isClient, caller)
        }
    }

    /// Largest count first.
    public let callers: [Caller]
    /// Largest number of requests that a caller can have sent who is not listed.
    public let unlisted: UInt64
    /// Time in which the requests ended, up to now.
    public let length: Duration

    public init(callers: [Caller], unlisted: UInt64, length: Duration) {
        (self.callers, self.unlisted, self.length) = (callers, unlisted, length)
    }

    /// Writes all as one JSON object.
    var json: [UInt8] {
        JSONObjectWriter.object { json, bytes in
            json.member("seconds", integer: length.components.seconds, into: &bytes)
            json.member("unlisted", integer: Int64(clamping: unlisted), into: &bytes)
            json.objects("callers", callers, into: &bytes) { caller, json, bytes in
                json.member("kind", string: caller.isClient ? "client" : "subject", into: &bytes)
                caller.caller.write(with: &json, into: &bytes)
            }
        }
    }
}
