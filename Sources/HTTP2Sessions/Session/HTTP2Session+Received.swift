import NIOCore

/// Handlers for the library's (nghttp2) receive callbacks. They only update records and record events.
extension HTTP2Session {
    /// - Returns: False if the stream is refused.
    final func fieldSectionBegan(_ number: Int32, isRequest: Bool) -> Bool {
        recycleSection()
        guard isRequest else {
            sectionRecord = find(number)
            guard sectionRecord != nil else { return false }
            section = storage.takeBlock()
            return true
        }
        libraryStreams &+= 1
        guard libraryStreams <= limits.concurrentStreams &+ limits.endingStreams else {
            // The peer does not read our RST_STREAMs.
            fail(.budgetOverdrawn)
            return false
        }
        guard streams.count < limits.concurrentStreams else {
            library.reset(number, .refusedStream)
            record(.requestRefused(.refusedStream))
            return false
        }
        let record = storage.takeRecord()
        streams.insert(record, number: number)
        library.remember(slot: record.slot, of: number)
        sectionRecord = record
        section = storage.takeBlock()
        return true
    }

    /// - Returns: False if the section is so large that its stream is reset.
    final func fieldReceived(_ name: Span<UInt8>, _ value: Span<UInt8>, isNeverIndexed: Bool) -> Bool {
        guard let section else { return false }
        if section.append(name, value, isNeverIndexed: isNeverIndexed, limits: limits) { return true }
        guard let sectionRecord else { return false }
        // Reset first, so that the library does not send its own code.
        library.reset(sectionRecord.number, .enhanceYourCalm)
        recycleSection()
        return false
    }

    final func fieldSectionEnded(_ number: Int32, endsStream: Bool) {
        guard let section, let record = sectionRecord, record.number == number else { return }
        fieldCount &+= section.count
        self.section = nil
        sectionRecord = nil
        // The caller reset the stream and expects no more events.
        guard record.ownReset == nil else { return storage.recycle(section) }
        if record.hasFinalHead {
            self.record(.trailers(record.stream, section))
        } else if isClient, section.isInterim {
            self.record(.interim(record.stream, section))
        } else {
            record.hasFinalHead = true
            record.isAnnounced = true
            self.record(.head(record.stream, section, endsStream: endsStream))
        }
    }

    private func recycleSection() {
        if let section {
            fieldCount &+= section.count
            storage.recycle(section)
        }
        section = nil
        sectionRecord = nil
    }

    /// - Parameter address: Address of the content in the input.
    final func contentReceived(_ number: Int32, at address: UInt, count: Int) {
        guard let record = find(number), record.ownReset == nil,
            let content = input.getSlice(
                at: input.readerIndex &+ Int(bitPattern: address &- inputAddress), length: count)
        else { return consumeOfConnection(count) }
        record.unconsumed &+= count
        unconsumedByteCount &+= count
        self.record(.data(record.stream, content, endsStream: false))
    }

    final func contentEnded(_ number: Int32) {
        guard let record = find(number), record.ownReset == nil else { return }
        if !endLastData(of: record.stream) { self.record(.data(record.stream, ByteBuffer(), endsStream: true)) }
    }

    final func resetReceived(_ number: Int32, _ code: HTTP2ErrorCode) {
        find(number)?.peerReset = code
    }

    /// Finds the stream with this identifier by the slot that the library stores with it. Nil if the library stores no
    /// slot, or the slot does not hold this stream.
    final func find(_ number: Int32) -> StreamRecord? {
        library.slot(of: number).flatMap { streams.record(in: $0, number: number) }
    }

    final func streamClosed(_ number: Int32, _ code: HTTP2ErrorCode) {
        libraryStreams &-= 1
        guard let record = find(number) else { return }
        // Content that was not consumed would stay charged to the connection window.
        unconsumedByteCount &-= record.unconsumed
        consumeOfConnection(record.unconsumed &+ record.withheld)
        record.unconsumed = 0
        record.withheld = 0
        close(record, as: record.end(code, isClient: isClient))
    }

    /// Reports the end of a stream and removes it.
    final func close(_ record: StreamRecord, as end: StreamEnd) {
        if sectionRecord === record { recycleSection() }
        if isClient, !record.isHeadSent { unsentRequests &-= 1 }
        if record.isAnnounced {
            self.record(.streamClosed(record.stream, end))
        } else if case .malformed(let code) = end {
            self.record(.requestRefused(code))
        }
        streams.remove(record)
        // An announced stream keeps its slot until the caller has taken the event of its end.
        if !record.isAnnounced { streams.release(record.slot) }
        storage.recycle(record)
    }
}

extension StreamRecord {
    /// Outcome of the stream, given the library's error code.
    fileprivate func end(_ code: HTTP2ErrorCode, isClient: Bool) -> StreamEnd {
        if let ownReset { return .reset(ownReset) }
        if isClient, !isHeadSent { return .notSent }
        if isClient, (peerReset ?? code) == .refusedStream { return .notProcessed }
        if let peerReset { return .resetByPeer(peerReset) }
        return code == .noError ? .complete : .malformed(code)
    }
}

extension FieldBlock {
    /// True for the head of an interim response: `:status` comes first (RFC 9113 §8.3), with three digits.
    fileprivate var isInterim: Bool {
        guard let field = entries.first, field.name.count == 7, field.value.count == 3 else { return false }
        return bytes[field.value.lowerBound] == UInt8(ascii: "1")
    }
}
