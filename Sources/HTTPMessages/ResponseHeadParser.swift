/// Parses and judges one response head after another, however its bytes are split; the upstream may be hostile.
///
/// Obs-text (0x80–0xFF) is allowed in values and in the reason phrase. After a rejection the parser repeats it until `reset()`.
public struct ResponseHeadParser: ~Copyable, Sendable {
    public typealias Progress = ParsingProgress

    /// The head; valid after `.complete`, until `reset()`.
    public private(set) var head = ResponseHead()

    private let limits: HeadLimits
    private var stage = Stage.statusLine
    private var reader = FieldSectionReader(.obsText)

    private enum Stage: Equatable {
        case statusLine
        case fields
        case complete
        case refused(ResponseHeadRejection)
    }

    public init(limits: HeadLimits = HeadLimits()) { self.limits = limits.reachable }

    /// Reads on in everything received since the head's first byte; what follows the head is not looked at.
    public mutating func parse(_ received: Span<UInt8>, requestMethodIsHEAD: Bool) throws(ResponseHeadRejection) -> Progress {
        switch stage {
        case .complete: return .complete
        case .refused(let rejection): throw rejection
        case .statusLine, .fields: break
        }
        do throws(ResponseHeadRejection) {
            guard try advance(received) else { return .needsMore }
            try judge(requestMethodIsHEAD: requestMethodIsHEAD)
            stage = .complete
            return .complete
        } catch {
            stage = .refused(error)
            throw error
        }
    }

    /// Starts with the next head; storage is kept.
    public mutating func reset() {
        head.section.removeAll()
        forgetProgress()
    }

    /// Starts with the next head and gives the storage back, for a connection that goes idle.
    public mutating func releaseStorage() {
        head = ResponseHead()
        forgetProgress()
    }

    private mutating func forgetProgress() {
        stage = .statusLine
        reader = FieldSectionReader(.obsText)
    }

    private mutating func advance(_ received: Span<UInt8>) throws(ResponseHeadRejection) -> Bool {
        guard received.count >= reader.lines.scanned else { return false }
        // Nothing past the limit is looked at, or the verdict would depend on how much came at once.
        let bytes = received.extracting(first: min(received.count, limits.head))
        guard try readStatusLine(bytes), try readFields(bytes) else {
            guard received.count < limits.head else { throw .headTooLarge }
            return false
        }
        head.section.take(bytes.extracting(first: reader.lines.lineStart))
        return true
    }

    private mutating func readStatusLine(_ bytes: Span<UInt8>) throws(ResponseHeadRejection) -> Bool {
        guard stage == .statusLine else { return true }
        switch try firstLine(bytes) {
        case .unfinished: return false
        case .tooLong: throw .headTooLarge
        case .finished(let line):
            let statusLine = try StatusLine(line, in: bytes)
            head.version = statusLine.version
            head.status = statusLine.status
            head.reason = statusLine.reason
            stage = .fields
            return true
        }
    }

    private mutating func firstLine(_ bytes: Span<UInt8>) throws(ResponseHeadRejection) -> FieldSectionReader.FirstLine {
        let limit = limits.field &+ HeadLimits.lineAllowance
        do throws(FieldRejection) {
            return try reader.firstLine(in: bytes) { $0 <= limit }
        } catch {
            throw ResponseHeadRejection(error)
        }
    }

    private mutating func readFields(_ bytes: Span<UInt8>) throws(ResponseHeadRejection) -> Bool {
        do throws(FieldRejection) {
            return try reader.read(bytes, limits: limits, into: &head.section)
        } catch {
            throw ResponseHeadRejection(error)
        }
    }

    /// Judges the fields that decide where the response ends, when all are there (RFC 9112 §6.3).
    private mutating func judge(requestMethodIsHEAD: Bool) throws(ResponseHeadRejection) {
        let stated: HeaderSection.Framing
        let options: HeaderSection.ConnectionOptions
        do throws(FieldRejection) {
            stated = try head.section.framing(version: head.version)
            options = try head.section.readConnection(limits: limits)
        } catch {
            throw ResponseHeadRejection(error)
        }
        head.framing = try framing(stated, requestMethodIsHEAD: requestMethodIsHEAD)
        head.keepsAlive = head.version == .http11 && !options.close && head.framing != .untilClose
    }

    private func framing(
        _ stated: HeaderSection.Framing,
        requestMethodIsHEAD: Bool
    ) throws(ResponseHeadRejection) -> ResponseBodyFraming {
        if head.status < 200 || head.status == 204 {
            try requireNoContent(stated)
            return .none
        }
        // Both may say how a body would have been framed (RFC 9110 §8.6, RFC 9112 §6.1).
        if requestMethodIsHEAD || head.status == 304 { return .none }
        switch stated {
        case .unstated: return .untilClose
        case .length(let length): return .length(length)
        case .chunked: return .chunked
        }
    }

    /// Refuses a body announced where none can be: its bytes would be the next response to somebody else's request.
    private func requireNoContent(_ stated: HeaderSection.Framing) throws(ResponseHeadRejection) {
        switch stated {
        case .unstated, .length(0): return
        case .length: throw .contentLengthWithoutContent
        case .chunked: throw .transferEncodingWithoutContent
        }
    }
}
