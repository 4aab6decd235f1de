import NIOCore

/// Result when the library asks for a stream's content.
enum ContentStep {
    /// No content is queued yet.
    case deferred
    /// The stream does not exist.
    case failed
    case content(count: Int, isCopied: Bool, end: ContentEnd)
}

/// Element that follows the content: more content, the end of the stream, or trailers.
enum ContentEnd {
    case none, stream, trailers
}

extension HTTP2Session {
    // MARK: For the caller

    /// Queues content of a stream whose head was submitted.
    ///
    /// - Returns: True if the caller may append more now. Otherwise wait for ``HTTP2Event/queueDrained(_:)``.
    @discardableResult
    public final func append(_ content: ByteBuffer, to stream: HTTP2Stream) -> Bool {
        guard let record = streams.record(of: stream), !record.endsWithQueue, record.ownReset == nil else {
            return true
        }
        record.queue.append(content)
        resume(record)
        guard record.queue.byteCount > limits.queue.upperBound else { return true }
        record.isAwaited = true
        return false
    }

    /// Ends our side of the stream after the queued content.
    public final func end(_ stream: HTTP2Stream) {
        guard let record = streams.record(of: stream), !record.endsWithQueue, record.ownReset == nil else { return }
        record.endsWithQueue = true
        resume(record)
    }

    /// Ends our side of the stream after the queued content, with a trailer section.
    ///
    /// - Returns: False if the trailer section is invalid; the stream then ends without one.
    @discardableResult
    public final func end(_ stream: HTTP2Stream, trailers: OutgoingFields) -> Bool {
        if trailers.isLawful, !trailers.isEmpty, let record = streams.record(of: stream), !record.endsWithQueue {
            record.trailers.append(contentsOf: trailers)
            record.hasTrailers = true
        }
        end(stream)
        return trailers.isLawful
    }

    private func resume(_ record: StreamRecord) {
        guard record.isDeferred else { return }
        record.isDeferred = false
        library.resume(record.number)
    }

    /// Content that was appended to the stream and not yet serialized, in bytes.
    public final func queuedByteCount(of stream: HTTP2Stream) -> Int {
        streams.record(of: stream)?.queue.byteCount ?? 0
    }

    /// Resets a stream at once. Drops its queued content, and a head submitted in the same turn.
    ///
    /// Only already recorded events and its end follow.
    public final func reset(_ stream: HTTP2Stream, _ code: HTTP2ErrorCode) {
        guard let record = streams.record(of: stream), record.ownReset == nil else { return }
        record.ownReset = code
        record.queue.removeAll()
        library.reset(stream.number, code)
    }

    // MARK: For the library

    final func readContent(_ number: Int32, _ slot: Int32, into target: UnsafeMutableRawBufferPointer) -> ContentStep {
        guard let record = streams.record(in: slot, number: number) else { return .failed }
        guard !record.queue.isEmpty || record.endsWithQueue else {
            record.isDeferred = true
            return .deferred
        }
        let next = record.queue.next(most: target.count)
        let isLast = next.count == record.queue.byteCount && record.endsWithQueue
        if !next.isUncopied {
            unsafe record.queue.move(next.count, to: target)
            queueShrank(record)
        }
        guard isLast else { return .content(count: next.count, isCopied: !next.isUncopied, end: .none) }
        let hasTrailers = record.hasTrailers && library.submitTrailers(number, record.trailers)
        return .content(count: next.count, isCopied: !next.isUncopied, end: hasTrailers ? .trailers : .stream)
    }

    /// Outputs a frame: copies its header and adds the content without copying it.
    final func sendContent(_ slot: Int32, _ number: Int32, _ head: UnsafeBufferPointer<UInt8>, _ count: Int) -> Bool {
        guard let record = streams.record(in: slot, number: number), let content = record.queue.takeSlice(count) else {
            return false
        }
        unsafe output.append(head, storage)
        output.append(piece: content)
        didSendPiece = true
        queueShrank(record)
        return true
    }

    private func queueShrank(_ record: StreamRecord) {
        guard record.isAwaited, record.queue.byteCount <= limits.queue.lowerBound else { return }
        record.isAwaited = false
        self.record(.queueDrained(record.stream))
    }

    final func frameSent(_ type: UInt8, _ number: Int32, length: Int, flags: UInt8, _ code: HTTP2ErrorCode) {
        let endsStream = type <= 1 && flags & 1 != 0
        meter.sent(
            FrameScanner.Frame(type: type, content: length, endsStream: endsStream, errorCode: code.rawValue), at: tick)
        switch FrameScanner.Frame.Kind(rawValue: type) {
        case .headers where isClient || endsStream, .data where endsStream:
            guard let record = find(number) else { return }
            if isClient, !record.isHeadSent { unsentRequests &-= 1 }
            record.isHeadSent = true
            record.hasEnded = endsStream
            if endsStream, record.dismissesUpload { dismiss(record) }
        case .resetStream where !isClient: closedStreams.reset(number)
        case .goAway where code != .noError: failed(code)
        default: break
        }
    }

    /// Resets a stream with NO_ERROR, so that the client stops its upload (RFC 9113 §8.1).
    ///
    /// Call it only after the last frame was serialized: a reset overtakes submitted frames.
    final func dismiss(_ record: StreamRecord) {
        if !library.isEndedByPeer(record.number) { library.reset(record.number, .noError) }
    }

    final func frameNotSent(_ type: UInt8, _ number: Int32) {
        guard type == FrameScanner.Frame.Kind.headers.rawValue, !isClient,
            let record = find(number), record.ownReset == nil
        else { return }
        self.record(.headNotSent(record.stream))
    }

    /// Closes the requests that the library cannot send now, so that the caller can send them elsewhere.
    ///
    /// The library holds requests beyond the peer's stream limit, which may have fallen since they were submitted. It
    /// would send them when the limit rises or another stream closes. After a GOAWAY it drops them silently.
    final func outputDrained() {
        guard unsentRequests > 0 else { return }
        for record in streams.all where !record.isHeadSent {
            // Never reset twice, and never after a GOAWAY: the library would send the reset of a stream that the peer
            // does not know.
            if record.ownReset == nil, !hasReceivedGoAway, !hasFailed { library.reset(record.number, .cancel) }
            close(record, as: record.ownReset.map { .reset($0) } ?? .notSent)
        }
    }
}
