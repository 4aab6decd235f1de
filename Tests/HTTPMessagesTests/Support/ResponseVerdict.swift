import HTTPMessages

/// Result of parsing a response head, as values that can be compared.
struct ResponseSummary: Hashable {
    var version: HTTPVersion
    var status: Int
    var reason: [UInt8]
    var fields: [[UInt8]]
    var framing: ResponseBodyFraming
    var keepsAlive: Bool
    var byteCount: Int

    init(_ head: ResponseHead) {
        version = head.version
        status = head.status
        reason = Array(head.slice(head.reason))
        fields = head.fields.map { Array(head.name(of: $0)) + [0x3A] + Array(head.value(of: $0)) }
        framing = head.framing
        keepsAlive = head.keepsAlive
        byteCount = head.byteCount
    }
}

/// Verdict of a parser on some bytes of a response.
enum ResponseVerdict: Hashable {
    case complete(ResponseSummary)
    case needsMore
    case rejected(ResponseHeadRejection)

    /// Verdict if the bytes arrive in pieces that end at these offsets, and finally all of them.
    init(
        _ bytes: [UInt8], toHEAD: Bool = false, limits: HeadLimits = HeadLimits(),
        endingPieces offsets: some Sequence<Int> = []
    ) {
        var parser = ResponseHeadParser(limits: limits)
        self = .needsMore
        for end in Array(offsets) + [bytes.count] {
            do throws(ResponseHeadRejection) {
                let progress = try parser.parse(bytes.span.extracting(first: end), requestMethodIsHEAD: toHEAD)
                guard progress == .complete else { continue }
                self = .complete(ResponseSummary(parser.head))
            } catch {
                self = .rejected(error)
            }
            return
        }
    }

    init(_ text: String, toHEAD: Bool = false, limits: HeadLimits = HeadLimits()) {
        self.init(Array(text.utf8), toHEAD: toHEAD, limits: limits)
    }

    var summary: ResponseSummary? {
        if case .complete(let summary) = self { return summary }
        return nil
    }
}
