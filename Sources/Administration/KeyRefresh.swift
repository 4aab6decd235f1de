import StrictJSON

/// Result of an operator's request to fetch the keys of an issuer now.
public struct KeyRefresh: Sendable, Hashable {
    /// Result for one of the issuer's key sets.
    public struct KeySet: Sendable, Hashable {
        public let source: String
        public let keyCount: Int
        /// The reason why the keys could not be fetched. Nil if they were fetched or are unchanged.
        public let failure: String?

        public init(source: String, keyCount: Int, failure: String?) {
            self.source = source
            self.keyCount = keyCount
            self.failure = failure
        }
    }

    public let issuer: String
    public let keySets: [KeySet]

    public init(issuer: String, keySets: [KeySet]) {
        self.issuer = issuer
        self.keySets = keySets
    }

    /// The response status for an operator's script: 200 if all key sets were fetched, otherwise 502.
    var status: Int { keySets.allSatisfy { $0.failure == nil } ? 200 : 502 }

    var body: [UInt8] {
        var bytes: [UInt8] = []
        var json = JSONObjectWriter()
        json.beginObject(into: &bytes)
        json.member("issuer", string: issuer, into: &bytes)
        json.member("refreshed", boolean: status == 200, into: &bytes)
        json.beginArray("key_sets", into: &bytes)
        for keySet in keySets {
            json.beginObject(into: &bytes)
            json.member("source", string: keySet.source, into: &bytes)
            json.member("keys", integer: Int64(clamping: keySet.keyCount), into: &bytes)
            if let failure = keySet.failure { json.member("error", string: failure, into: &bytes) }
            json.end(into: &bytes)
        }
        json.end(into: &bytes)
        json.end(into: &bytes)
        return bytes + [UInt8(ascii: "\n")]
    }
}
