import FuzzTargets
import HTTP2Sessions
import HTTPMessages
import NIOCore

extension FuzzComparison {
    /// An HTTP/2 request with `Cookie` in crumbs is counted as with one field (RFC 9113 §8.2.3), and is judged like the
    /// HTTP/1.1 request with this field.
    static func cookieCrumbs(_ bytes: [UInt8]) {
        let request = CrumbedRequest(bytes)
        // One frame of the size that every server accepts.
        guard request.section.count <= 16_384 else { return }
        let storage = HTTP2Storage(budgetPeriod: 30)
        request.judge(
            by: HTTP2ServerSession(for: .client, limits: .few, allowsConnectProtocol: false, storage: storage, at: 0),
            storage)
        FuzzTarget.require(storage.libraryAllocations == 0, "memory is left behind")
    }
}

extension HTTP2Limits {
    /// Limits low enough for inputs of some kilobytes, and above those of a head, so that heads are refused too.
    fileprivate static let few = HTTP2Limits(fieldSection: 10_000, fields: 12)
}

extension HeadLimits {
    fileprivate static let few = HeadLimits(head: 4096, field: 2048, fields: 6)
}

/// A request of random fields, one per line: the text after a `|` is the value of another field, and every other line
/// is a crumb.
private struct CrumbedRequest {
    private var crumbs: [[UInt8]] = []
    private var others: [[UInt8]] = []
    /// The field section (RFC 7541 §6.2.2), in literals without indexing.
    private(set) var section: [UInt8] = []

    init(_ bytes: [UInt8]) {
        for (name, value) in [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a")] {
            add(name, Array(value.utf8))
        }
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            if line.first == UInt8(ascii: "|") {
                others.append(Array(line.dropFirst()))
                add("x", Array(line.dropFirst()))
            } else {
                crumbs.append(Array(line))
                add("cookie", Array(line))
            }
        }
    }

    private mutating func add(_ name: String, _ value: [UInt8]) {
        section += [0] + Self.text(Array(name.utf8)) + Self.text(value)
    }

    /// A string literal (RFC 7541 §5.2), its length with a prefix of seven bits.
    private static func text(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var rest = bytes.count - 127
        var length: [UInt8] = [127]
        while rest >= 128 {
            length.append(UInt8(rest & 127 | 128))
            rest >>= 7
        }
        return length + [UInt8(rest)] + bytes
    }

    // MARK: Expectations

    /// True if the section exceeds the limits by this factor. A crumb counts its value plus 34 bytes, another field its
    /// line in HTTP/1.1, and so does `:authority`; other pseudo-header fields count their values and are no fields. All
    /// crumbs are one field.
    private func exceeds(_ limits: HTTP2Limits, times factor: Int) -> Bool {
        let start = "GET".count + "http".count + "/".count + "host: a\r\n".utf8.count
        let size =
            crumbs.reduce(start) { $0 + $1.count + 34 } + others.reduce(0) { $0 + "x: \r\n".utf8.count + $1.count }
        let count = 1 + others.count + min(crumbs.count, 1)
        return size > factor * limits.fieldSection || count > factor * limits.fields || crumbs.count > factor * 256
    }

    /// True if a value is not allowed in HTTP/2 (RFC 9113 §8.2.1).
    private var isMalformed: Bool {
        (crumbs + others).contains { value in
            value.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F } || Self.isBlank(value.first)
                || Self.isBlank(value.last)
        }
    }

    private static func isBlank(_ byte: UInt8?) -> Bool { byte == 0x20 || byte == 0x09 }

    /// The equivalent request in HTTP/1.1.
    private var text: [UInt8] {
        var text = Array("GET / HTTP/1.1\r\nhost: a\r\n".utf8)
        for value in others { text += Array("x: ".utf8) + value + Array("\r\n".utf8) }
        if !crumbs.isEmpty {
            text += Array("cookie: ".utf8) + Array(crumbs.joined(separator: Array("; ".utf8))) + Array("\r\n".utf8)
        }
        return text + Array("\r\n".utf8)
    }

    // MARK: Judgement

    func judge(by session: HTTP2ServerSession, _ storage: HTTP2Storage) {
        session.receive(
            ByteBuffer(bytes: Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0] + frame),
            at: 0)
        var heads = 0
        while let event = session.nextEvent() {
            guard case .head(_, let fields, _) = event else { continue }
            heads += 1
            judge(fields)
            storage.recycle(fields)
        }
        session.serialize(limit: 4096)
        while let output = session.nextOutput() { storage.recycle(output) }
        let isRefused = exceeds(.few, times: 4) || isMalformed
        FuzzTarget.require(
            heads == (isRefused ? 0 : 1), isRefused ? "what gets no answer is reported" : "a lawful request is refused")
    }

    /// HEADERS with END_STREAM and END_HEADERS, on the first stream.
    private var frame: [UInt8] {
        [0, UInt8(section.count >> 8), UInt8(section.count & 0xFF), 1, 5, 0, 0, 0, 1] + section
    }

    private func judge(_ fields: FieldBlock) {
        FuzzTarget.require(fields.isTooLarge == exceeds(.few, times: 1), "another size")
        guard !fields.isTooLarge else { return }
        FuzzTarget.require(Verdict(fields) == Verdict(text), "another request than in HTTP/1.1")
    }
}

/// Result of a head: its fields in their order, or the reason of its rejection.
private enum Verdict: Equatable {
    case complete([[UInt8]])
    case rejected(RequestHeadRejection)
    case unfinished
    case malformed

    init(_ fields: FieldBlock) {
        var builder = RequestHeadBuilder(limits: .few)
        do throws(RequestMalformation) {
            try fields.forEach { name, value, isNeverIndexed throws(RequestMalformation) in
                try builder.add(name: name, value: value, isNeverIndexed: isNeverIndexed)
            }
        } catch {
            self = .malformed
            return
        }
        do throws(RequestHeadFault) {
            try builder.finish(endsStream: true)
            self.init(builder.head)
        } catch {
            switch error {
            case .malformed: self = .malformed
            case .rejected(let rejection): self = .rejected(rejection)
            }
        }
    }

    init(_ text: [UInt8]) {
        var parser = RequestHeadParser(limits: .few)
        do throws(RequestHeadRejection) {
            guard try parser.parse(text.span) == .complete else {
                self = .unfinished
                return
            }
            self.init(parser.head)
        } catch {
            self = .rejected(error)
        }
    }

    private init(_ head: RequestHead) {
        self = .complete(head.fields.flatMap { [Array(head.slice($0.name)), Array(head.slice($0.value))] })
    }
}
