import NetworkNames

/// Parses and validates one request head after another, however its bytes are split.
///
/// The verdict is reached when the head is complete, or earlier at the first byte that no head can contain. Each byte
/// is scanned a bounded number of times. After a rejection every call throws it again until `reset()`.
public struct RequestHeadParser: ~Copyable, Sendable {
    public typealias Progress = ParsingProgress

    /// The head. Valid after `.complete`, until `reset()`.
    public private(set) var head = RequestHead()

    private let limits: HeadLimits
    private var stage = Stage.firstLine
    private var reader = FieldSectionReader(of: .request)
    private var targetAuthority: RequestLine.TargetAuthority?

    private enum Stage: Equatable {
        case firstLine
        case requestLineAfterBlankLine
        case fields
        case complete
        case refused(RequestHeadRejection, inFields: Bool)
    }

    public init(limits: HeadLimits = HeadLimits()) { self.limits = limits.reachable }

    /// Continues with everything received since the head's first byte. Bytes after the head are ignored.
    public mutating func parse(_ received: Span<UInt8>) throws(RequestHeadRejection) -> Progress {
        switch stage {
        case .complete: return .complete
        case .refused(let rejection, _): throw rejection
        case .firstLine, .requestLineAfterBlankLine, .fields: break
        }
        do throws(RequestHeadRejection) {
            return try advance(received)
        } catch {
            stage = .refused(error, inFields: stage == .fields)
            throw error
        }
    }

    /// The fault of a refused head and its location. Nil if the head was not refused.
    ///
    /// - Parameter received: everything received since the head's first byte, as it was parsed.
    public func fault(in received: Span<UInt8>) -> HeadFault? {
        guard case .refused(let rejection, let inFields) = stage else { return nil }
        let line = reader.lines.lastLine
        switch rejection {
        case .field(.bareLineFeed), .field(.bareCarriageReturn), .field(.controlByte):
            return HeadFault(rejection, at: reader.lines.scanned, in: received)
        case .field(.headTooLarge), .field(.fieldTooLarge), .field(.authorizationTooLong), .field(.tooManyFields),
            .field(.tooManyConnectionOptions), .targetTooLong:
            return HeadFault(rejection)
        case .field(.nonASCIIByte) where !inFields, .invalidMethod where line.isEmpty:
            return HeadFault(rejection, at: reader.lines.lineStart, in: received)
        default: break
        }
        guard line.upperBound <= received.count else { return HeadFault(rejection) }
        let text = received.extracting(line)
        guard inFields else { return HeadFault(rejection, inFirstLine: text) }
        // After the blank line all fields are validated together.
        guard line.isEmpty else { return HeadFault(rejection, inLine: text) }
        return head.section.fault(rejection)
    }

    /// Exchanges the complete head for an earlier one, whose storage is reused, and starts the next head.
    public mutating func exchange(for earlier: inout RequestHead) {
        swap(&head, &earlier)
        reset()
    }

    /// Starts the next head and keeps the storage.
    public mutating func reset() {
        head.section.removeAll()
        forgetProgress()
    }

    /// Starts the next head and releases the storage, for a connection that becomes idle.
    public mutating func releaseStorage() {
        head = RequestHead()
        forgetProgress()
    }

    private mutating func forgetProgress() {
        stage = .firstLine
        reader = FieldSectionReader(of: .request)
        targetAuthority = nil
    }

    private mutating func advance(_ received: Span<UInt8>) throws(RequestHeadRejection) -> Progress {
        guard received.count >= reader.lines.scanned else { return .needsMore }
        // Bytes beyond the limit are ignored, or the verdict would depend on how many bytes arrived at once.
        let bytes = received.extracting(first: min(received.count, limits.head))
        guard try readRequestLine(bytes), try readFields(bytes) else {
            guard received.count < limits.head else { throw .field(.headTooLarge) }
            return .needsMore
        }
        head.section.take(bytes.extracting(first: reader.lines.lineStart))
        try head.judge(targetAuthority: targetAuthority, limits: limits)
        stage = .complete
        return .complete
    }

    private mutating func readRequestLine(_ bytes: Span<UInt8>) throws(RequestHeadRejection) -> Bool {
        while stage != .fields {
            try checkFirstByte(bytes)
            switch try firstLine(bytes) {
            case .unfinished: return false
            case .tooLong: throw .targetTooLong
            case .finished(let line) where line.isEmpty:
                // One empty line is tolerated, because old clients send one after a body (RFC 9112 §2.2).
                guard stage == .firstLine else { throw .repeatedBlankLine }
                stage = .requestLineAfterBlankLine
            case .finished(let line):
                let requestLine = try RequestLine(line, in: bytes, limits: limits)
                head.method = requestLine.method
                head.target = requestLine.target
                head.version = requestLine.version
                targetAuthority = requestLine.authority
                stage = .fields
            }
        }
        return true
    }

    /// Refuses input that is not HTTP at its first byte, such as another protocol's greeting, because its line end
    /// might never come.
    private func checkFirstByte(_ bytes: Span<UInt8>) throws(RequestHeadRejection) {
        let start = reader.lines.lineStart
        guard start < bytes.count, bytes[start] >= ASCII.space, bytes[start] != ASCII.delete else { return }
        guard bytes[start] < 0x80 else { throw .field(.nonASCIIByte) }
        guard ASCII.isToken(bytes[start]) else { throw .invalidMethod }
    }

    private mutating func firstLine(_ bytes: Span<UInt8>) throws(RequestHeadRejection) -> FieldSectionReader.FirstLine {
        do throws(FieldRejection) {
            return try reader.firstLine(in: bytes, limit: limits.target &+ HeadLimits.lineAllowance)
        } catch {
            throw .field(error)
        }
    }

    private mutating func readFields(_ bytes: Span<UInt8>) throws(RequestHeadRejection) -> Bool {
        do throws(FieldRejection) {
            return try reader.read(bytes, limits: limits, into: &head.section)
        } catch {
            throw .field(error)
        }
    }
}
