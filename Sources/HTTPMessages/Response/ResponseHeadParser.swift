/// Parses and validates one response head after another, however its bytes are split. The upstream may be hostile.
///
/// Obs-text (0x80–0xFF) is allowed in values and in the reason phrase. After a rejection every call throws it again
/// until `reset()`.
public struct ResponseHeadParser: ~Copyable, Sendable {
    public typealias Progress = ParsingProgress

    /// The head. Valid after `.complete`, until `reset()`.
    public private(set) var head = ResponseHead()

    private let limits: HeadLimits
    private var stage = Stage.statusLine
    private var reader = FieldSectionReader(of: .response)

    private enum Stage: Equatable {
        case statusLine
        case fields
        case complete
        case refused(ResponseHeadRejection)
    }

    public init(limits: HeadLimits = HeadLimits()) { self.limits = limits.reachable }

    /// Continues with everything received since the head's first byte. Bytes after the head are ignored.
    public mutating func parse(_ received: Span<UInt8>, requestMethodIsHEAD: Bool) throws(ResponseHeadRejection)
        -> Progress
    {
        switch stage {
        case .complete: return .complete
        case .refused(let rejection): throw rejection
        case .statusLine, .fields: break
        }
        do throws(ResponseHeadRejection) {
            guard try advance(received) else { return .needsMore }
            try head.judge(requestMethodIsHEAD: requestMethodIsHEAD, limits: limits)
            stage = .complete
            return .complete
        } catch {
            stage = .refused(error)
            throw error
        }
    }

    /// Starts the next head and keeps the storage.
    public mutating func reset() {
        head.section.removeAll()
        forgetProgress()
    }

    /// Starts the next head and releases the storage, for a connection that becomes idle.
    public mutating func releaseStorage() {
        head = ResponseHead()
        forgetProgress()
    }

    private mutating func forgetProgress() {
        stage = .statusLine
        reader = FieldSectionReader(of: .response)
    }

    private mutating func advance(_ received: Span<UInt8>) throws(ResponseHeadRejection) -> Bool {
        guard received.count >= reader.lines.scanned else { return false }
        // Bytes beyond the limit are ignored, or the verdict would depend on how many bytes arrived at once.
        let bytes = received.extracting(first: min(received.count, limits.head))
        guard try readStatusLine(bytes), try readFields(bytes) else {
            guard received.count < limits.head else { throw .field(.headTooLarge) }
            return false
        }
        head.section.take(bytes.extracting(first: reader.lines.lineStart))
        return true
    }

    private mutating func readStatusLine(_ bytes: Span<UInt8>) throws(ResponseHeadRejection) -> Bool {
        guard stage == .statusLine else { return true }
        switch try firstLine(bytes) {
        case .unfinished: return false
        case .tooLong: throw .field(.headTooLarge)
        case .finished(let line):
            let statusLine = try StatusLine(line, in: bytes)
            head.version = statusLine.version
            head.status = statusLine.status
            head.reason = statusLine.reason
            stage = .fields
            return true
        }
    }

    private mutating func firstLine(_ bytes: Span<UInt8>) throws(ResponseHeadRejection) -> FieldSectionReader.FirstLine
    {
        do throws(FieldRejection) {
            return try reader.firstLine(in: bytes, limit: limits.field &+ HeadLimits.lineAllowance)
        } catch {
            throw .field(error)
        }
    }

    private mutating func readFields(_ bytes: Span<UInt8>) throws(ResponseHeadRejection) -> Bool {
        do throws(FieldRejection) {
            return try reader.read(bytes, limits: limits, into: &head.section)
        } catch {
            throw .field(error)
        }
    }
}
