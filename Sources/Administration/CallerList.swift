import StrictJSON

/// Answer of `/api/callers`: the clients, subjects and addresses that sent most requests in the last minutes.
public struct CallerList: Sendable, Hashable {
    public struct Caller: Sendable, Hashable {
        /// Name of the issuer in the file. Nil for an address.
        public let issuer: String?
        /// Client ID, subject, address, or the pseudonym of one.
        public let name: String
        /// True if the name is longer, and this is its beginning.
        public let isCut: Bool
        /// Largest number of requests that the caller can have sent.
        public let count: UInt64
        /// Difference between `count` and the smallest number of requests that the caller can have sent.
        public let error: UInt64

        public init(issuer: String?, name: String, isCut: Bool, count: UInt64, error: UInt64) {
            (self.issuer, self.name, self.isCut, self.count, self.error) = (issuer, name, isCut, count, error)
        }
    }

    public struct Ranking: Sendable, Hashable {
        /// Largest count first.
        public let callers: [Caller]
        /// Number of requests that have such a name.
        public let total: UInt64
        /// Largest number of requests that a caller can have sent who is not listed.
        public let unlisted: UInt64

        public init(callers: [Caller], total: UInt64, unlisted: UInt64) {
            (self.callers, self.total, self.unlisted) = (callers, total, unlisted)
        }
    }

    public let clients: Ranking
    public let subjects: Ranking
    public let addresses: Ranking
    /// Time in which the requests ended, up to now.
    public let length: Duration

    public init(clients: Ranking, subjects: Ranking, addresses: Ranking, length: Duration) {
        (self.clients, self.subjects, self.addresses, self.length) = (clients, subjects, addresses, length)
    }

    /// Writes all as one JSON object.
    var json: [UInt8] {
        JSONObjectWriter.object { json, bytes in
            json.member("seconds", integer: length.components.seconds, into: &bytes)
            for (name, ranking) in [("clients", clients), ("subjects", subjects), ("addresses", addresses)] {
                json.beginObject(name, into: &bytes)
                ranking.write(with: &json, into: &bytes)
                json.end(into: &bytes)
            }
        }
    }
}

extension CallerList.Ranking {
    fileprivate func write(with json: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        json.member("total", integer: Int64(clamping: total), into: &bytes)
        json.member("unlisted", integer: Int64(clamping: unlisted), into: &bytes)
        json.objects("callers", callers, into: &bytes) { $0.write(with: &$1, into: &$2) }
    }
}

extension CallerList.Caller {
    /// Writes the caller as members.
    func write(with json: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        if let issuer { json.member("issuer", string: issuer, into: &bytes) }
        json.member("name", string: name, into: &bytes)
        if isCut { json.member("cut", boolean: true, into: &bytes) }
        json.member("count", integer: Int64(clamping: count), into: &bytes)
        json.member("error", integer: Int64(clamping: error), into: &bytes)
    }
}
