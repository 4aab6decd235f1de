/// A connection to an upstream: sends requests and receives responses.
public final class HTTP2ClientSession: HTTP2Session {
    public init(limits: HTTP2Limits, storage: HTTP2Storage, at tick: UInt64) {
        // No server push.
        let settings: [(id: Int32, value: UInt32)] = [(Setting.enablePush, 0), (Setting.maxConcurrentStreams, 0)]
        super.init(for: .upstream, limits: limits, storage: storage, at: tick, settings: settings)
    }

    /// Requests at once that the upstream takes, and that we begin; a hundred are assumed before its SETTINGS arrive.
    public var streamLimit: Int {
        min(limits.concurrentStreams, Int(library.peerSetting(UInt32(Setting.maxConcurrentStreams))))
    }

    /// Whether the upstream takes no requests at all, by a limit of 0.
    public var peerTakesNoRequests: Bool { library.peerSetting(UInt32(Setting.maxConcurrentStreams)) == 0 }

    /// Whether the head of a request is serialized. If it is not when the connection ends, the upstream cannot have
    /// processed it.
    public func isSent(_ stream: HTTP2Stream) -> Bool { streams.record(of: stream)?.isHeadSent ?? true }

    /// Whether a request may begin.
    ///
    /// None waits in the library for longer than until the output is drained: it ends as ``StreamEnd/notSent`` then.
    public var mayRequest: Bool {
        !hasFailed && !hasReceivedGoAway && streamCount < streamLimit && library.mayRequest
    }

    /// Whether the upstream said that it takes `:protocol` (RFC 8441 §3). The library does not look.
    public var peerAllowsConnectProtocol: Bool { library.peerSetting(UInt32(Setting.enableConnectProtocol)) == 1 }

    /// Begins a request. Unless its head ends it, content is appended and ended.
    ///
    /// - Returns: nil if none may begin, or the section may not be sent.
    public func submitRequest(_ fields: OutgoingFields, endsStream: Bool) -> HTTP2Stream? {
        guard mayRequest, fields.isLawful else { return nil }
        let record = storage.takeRecord()
        streams.insert(record, number: 0)
        let number = library.submitRequest(fields, slot: record.slot, hasContent: !endsStream)
        guard number > 0 else {
            streams.remove(record)
            streams.release(record.slot)
            storage.recycle(record)
            return nil
        }
        record.number = number
        record.isAnnounced = true
        unsentRequests &+= 1
        return record.stream
    }
}
