/// A client's connection: receives requests and sends responses.
public final class HTTP2ServerSession: HTTP2Session {
    /// - Parameters:
    ///   - peer: Kind of the peer, which sets its frame budget.
    ///   - allowsConnectProtocol: True if requests may use `:protocol` (extended CONNECT, RFC 8441 §3).
    public init(
        for peer: HTTP2Peer, limits: HTTP2Limits, allowsConnectProtocol: Bool, storage: HTTP2Storage, at tick: UInt64
    ) {
        // The first value is a placeholder, overwritten with the real limit (``HTTP2Session/serialize(limit:)``).
        var settings: [(id: Int32, value: UInt32)] = [(Setting.maxConcurrentStreams, UInt32(Int32.max))]
        // Otherwise PRIORITY frames make the library keep streams that were never opened.
        settings.append((Setting.noRFC7540Priorities, 1))
        if allowsConnectProtocol { settings.append((Setting.enableConnectProtocol, 1)) }
        super.init(
            for: peer == .upstream ? .client : peer, limits: limits, storage: storage, at: tick, settings: settings)
    }

    /// Sends an interim response (RFC 9110 §15.2).
    ///
    /// - Returns: False if the section is invalid.
    @discardableResult
    public func submitInterim(_ fields: OutgoingFields, to stream: HTTP2Stream) -> Bool {
        guard fields.isLawful, let record = streams.record(of: stream), record.ownReset == nil else {
            return fields.isLawful
        }
        return library.submitInterim(stream.number, fields)
    }

    /// Sends the head of the final response. Unless it ends the stream, `append` and `end` follow.
    ///
    /// - Returns: False if the section is invalid, or a head was submitted before.
    @discardableResult
    public func submitHead(_ fields: OutgoingFields, to stream: HTTP2Stream, endsStream: Bool) -> Bool {
        guard fields.isLawful, let record = streams.record(of: stream), record.ownReset == nil else {
            return fields.isLawful
        }
        return library.submitResponse(stream.number, fields, contentOf: endsStream ? nil : stream.slot)
    }

    /// Resets the stream with NO_ERROR once the response is sent, so that the client stops its upload.
    public func dismissUpload(of stream: HTTP2Stream) {
        guard let record = streams.record(of: stream) else { return }
        record.dismissesUpload = true
        if record.hasEnded { dismiss(record) }
    }

    // MARK: Shutdown

    /// Announces the end of the connection with a GOAWAY that refuses no stream (RFC 9113 §6.8). Requests sent before
    /// the client received it are still accepted. Send a PING after it; the acknowledgement shows that the client
    /// received it.
    public func submitShutdownNotice() { library.submitShutdownNotice() }

    /// Sends a GOAWAY with the last accepted request. Later requests are ignored; open ones are answered.
    public func submitGoAway() { library.submitGoAway() }
}

/// A connection to an upstream: sends requests and receives responses.
public final class HTTP2ClientSession: HTTP2Session {
    public init(limits: HTTP2Limits, storage: HTTP2Storage, at tick: UInt64) {
        // No server push.
        let settings: [(id: Int32, value: UInt32)] = [(Setting.enablePush, 0), (Setting.maxConcurrentStreams, 0)]
        super.init(for: .upstream, limits: limits, storage: storage, at: tick, settings: settings)
    }

    /// Largest number of open requests: the lower of the upstream's limit and ours. Assumes 100 before its SETTINGS
    /// arrive.
    public var streamLimit: Int {
        min(limits.concurrentStreams, Int(library.peerSetting(UInt32(Setting.maxConcurrentStreams))))
    }

    /// True if the upstream set a stream limit of 0.
    public var peerTakesNoRequests: Bool { library.peerSetting(UInt32(Setting.maxConcurrentStreams)) == 0 }

    /// True if the head of the request is serialized. Otherwise the upstream cannot have processed it when the
    /// connection closes.
    public func isSent(_ stream: HTTP2Stream) -> Bool { streams.record(of: stream)?.isHeadSent ?? true }

    /// True if a request may begin now.
    ///
    /// The library does not hold requests beyond the end of `serialize`: one it could not send closes as
    /// ``StreamEnd/notSent``.
    public var mayRequest: Bool {
        !hasFailed && !hasReceivedGoAway && streamCount < streamLimit && library.mayRequest
    }

    /// True if the upstream accepts `:protocol` (RFC 8441 §3). The library does not check this.
    public var peerAllowsConnectProtocol: Bool { library.peerSetting(UInt32(Setting.enableConnectProtocol)) == 1 }

    /// Begins a request. Unless its head ends it, `append` and `end` follow.
    ///
    /// - Returns: The stream. Nil if no request may begin, or the section is invalid.
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
