import HTTPMessages

/// Result of parsing a request head, as values that can be compared.
struct RequestSummary: Hashable, CustomStringConvertible {
    struct Field: Hashable {
        var name: String
        var value: String
    }

    var method: String
    var target: String
    var path: String
    var query: String?
    var form: RequestTarget.Form
    var version: HTTPVersion
    var fields: [Field]
    var framing: BodyFraming
    var keepsAlive: Bool
    var expectsContinue: Bool
    var host: String?
    var port: Int?
    var byteCount: Int

    init(_ head: RequestHead) {
        method = head.string(head.method)
        target = head.string(head.target.bytes)
        path = head.string(head.target.path)
        query = head.target.query.map { head.string($0) }
        form = head.target.form
        version = head.version
        fields = head.fields.map { Field(name: head.string($0.name), value: head.string($0.value)) }
        framing = head.framing
        keepsAlive = head.keepsAlive
        expectsContinue = head.expectsContinue
        host = head.authority.map { head.string($0.host) }
        port = head.authority?.port
        byteCount = head.byteCount
    }

    var description: String { "\(method) \(target) \(version) \(fields) \(framing) keepsAlive: \(keepsAlive)" }
}

/// Verdict of a parser on some bytes.
enum RequestVerdict: Hashable {
    case complete(RequestSummary)
    case needsMore
    case rejected(RequestHeadRejection)

    /// Verdict if the bytes arrive in pieces that end at these offsets, and finally all of them.
    init(_ bytes: [UInt8], limits: HeadLimits = HeadLimits(), endingPieces offsets: some Sequence<Int> = []) {
        var parser = RequestHeadParser(limits: limits)
        self = .needsMore
        for end in Array(offsets) + [bytes.count] {
            do throws(RequestHeadRejection) {
                guard try parser.parse(bytes.span.extracting(first: end)) == .complete else { continue }
                self = .complete(RequestSummary(parser.head))
            } catch {
                self = .rejected(error)
            }
            return
        }
    }

    init(_ text: String, limits: HeadLimits = HeadLimits()) { self.init(Array(text.utf8), limits: limits) }

    /// Verdict if the bytes arrive one by one.
    static func byteByByte(_ bytes: [UInt8], limits: HeadLimits = HeadLimits()) -> RequestVerdict {
        RequestVerdict(bytes, limits: limits, endingPieces: 0...bytes.count)
    }

    var summary: RequestSummary? {
        if case .complete(let summary) = self { return summary }
        return nil
    }

    var rejection: RequestHeadRejection? {
        if case .rejected(let rejection) = self { return rejection }
        return nil
    }
}

/// A request and the verdict it must get.
struct RequestCase: Sendable, CustomStringConvertible {
    var name: String
    var bytes: [UInt8]
    /// Rejection of the head. Nil if it is accepted.
    var rejection: RequestHeadRejection?

    init(_ name: String, _ text: String, _ rejection: RequestHeadRejection?) {
        self.init(name, Array(text.utf8), rejection)
    }

    init(_ name: String, _ bytes: [UInt8], _ rejection: RequestHeadRejection?) {
        self.name = name
        self.bytes = bytes
        self.rejection = rejection
    }

    /// A GET request with this line as its only field besides `Host`.
    static func line(_ name: String, _ line: String, _ rejection: RequestHeadRejection?) -> RequestCase {
        RequestCase(name, "GET / HTTP/1.1\r\nHost: a.example\r\n\(line)\r\n\r\n", rejection)
    }

    var description: String { name }
}
