/// A client's connection: receives requests and sends responses.
public final class HTTP2ServerSession: HTTP2Session {
    /// - Parameters:
    ///   - peer: whose frames are counted, and how.
    ///   - allowsConnectProtocol: whether a request may ask for another protocol with `:protocol` (RFC 8441 §3).
    public init(
        for peer: HTTP2Peer, limits: HTTP2Limits, allowsConnectProtocol: Bool, storage: HTTP2Storage, at tick: UInt64
    ) {
        // The first stands for the bound that is written over it (``HTTP2Session/serialize(limit:)``).
        var settings: [(id: Int32, value: UInt32)] = [(Setting.maxConcurrentStreams, UInt32(Int32.max))]
        // Otherwise PRIORITY frames make the library keep streams that were never opened.
        settings.append((Setting.noRFC7540Priorities, 1))
        if allowsConnectProtocol { settings.append((Setting.enableConnectProtocol, 1)) }
        super.init(
            for: peer == .upstream ? .client : peer, limits: limits, storage: storage, at: tick, settings: settings)
    }

    /// Sends an interim response (RFC 9110 §15.2).
    ///
    /// - Returns: false if the section may not be sent.
    @discardableResult
    public func submitInterim(_ fields: OutgoingFields, to stream: HTTP2Stream) -> Bool {
        guard fields.isLawful, let record = streams.record(of: stream), record.ownReset == nil else {
            return fields.isLawful
        }
        return library.submitInterim(stream.number, fields)
    }

    /// Sends the head of the final response. Unless it ends the stream, content is appended and ended.
    ///
    /// - Returns: false if the section may not be sent, or one was submitted before.
    @discardableResult
    public func submitHead(_ fields: OutgoingFields, to stream: HTTP2Stream, endsStream: Bool) -> Bool {
        guard fields.isLawful, let record = streams.record(of: stream), record.ownReset == nil else {
            return fields.isLawful
        }
        return library.submitResponse(stream.number, fields, contentOf: endsStream ? nil : stream.slot)
    }

    /// Once the response has been sent, tells the client that the rest of its request is not needed.
    public func dismissUpload(of stream: HTTP2Stream) {
        guard let record = streams.record(of: stream) else { return }
        record.dismissesUpload = true
        if record.hasEnded { dismiss(record) }
    }

    // MARK: Ends

    /// Tells the client that the connection will end, and takes what it asked before it knew (RFC 9113 §6.8): a GOAWAY
    /// that refuses nothing. Send a ping behind it; its answer shows that the client knows.
    public func submitShutdownNotice() { library.submitShutdownNotice() }

    /// Tells the client which request was the last. Those that follow are ignored; those that are open are answered.
    public func submitGoAway() { library.submitGoAway() }
}

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
