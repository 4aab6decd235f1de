import HTTPMessages
import NIOHTTP1
import Testing

/// Heads from a grammar, some damaged, compared with SwiftNIO's decoder.
struct RequestHeadComparisonTests {
    @Test(arguments: 1...8)
    func `SwiftNIO reads every accepted head the same way`(seed: Int) throws {
        var grammar = RequestGrammar(seed: UInt64(seed))
        var accepted = 0
        for _ in 0..<3_000 {
            let bytes = grammar.next()
            guard let summary = RequestVerdict(bytes).summary else { continue }
            accepted += 1
            try compare(summary, bytes)
        }
        #expect(accepted > 1_000)
    }

    @Test func `T247 damaged heads get the same verdict byte by byte`() {
        var grammar = RequestGrammar(seed: 99)
        for _ in 0..<3_000 {
            let bytes = grammar.next()
            let whole = RequestVerdict(bytes)
            #expect(
                RequestVerdict.byteByByte(bytes) == whole, "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
        }
    }

    private func compare(_ summary: RequestSummary, _ bytes: [UInt8]) throws {
        let text = Comment(rawValue: String(decoding: bytes, as: UTF8.self).debugDescription)
        let peer = try PeerDecoder(Array(bytes.prefix(summary.byteCount)), then: body(summary.framing))
        guard let head = peer.heads.first else {
            // SwiftNIO accepts only the methods that llhttp lists, and no bytes above 0x7F in a target, which are
            // forwarded as escapes.
            #expect(!Self.methodsOfPeer.contains(summary.method) || summary.target.contains { !$0.isASCII }, text)
            return
        }
        #expect(head.method.rawValue == summary.method, text)
        #expect(head.uri == summary.target, text)
        #expect(head.version == (summary.version == .http11 ? .http1_1 : .http1_0), text)
        #expect(
            head.headers.map { RequestSummary.Field(name: $0.name, value: trimmed($0.value)) } == summary.fields, text)
        #expect(head.isKeepAlive == summary.keepsAlive || isKnownDifference(summary, head), text)
        #expect(peer.heads.count == 1, text)
        // llhttp takes a tab after "chunked" for part of the coding's name; RFC 9110 §5.5 does not.
        if head.headers.first(name: "transfer-encoding")?.last == "\t" { return }
        #expect(peer.error == nil, text)
        if case .length(let length) = summary.framing, length > 100 {
            #expect(peer.ended == 0, text)
        } else {
            #expect(peer.ended == 1, text)
            #expect(
                peer.bodies == [
                    summary.framing == .none || summary.framing == .length(0) ? [] : content(summary.framing)
                ], text)
        }
    }

    /// True if SwiftNIO keeps a connection that a client wanted closed, for a known reason; the reverse never happens.
    ///
    /// It does so if a tab follows `close`, or if one field has `close` and another `keep-alive`.
    private func isKnownDifference(_ summary: RequestSummary, _ head: HTTPRequestHead) -> Bool {
        let values = head.headers[canonicalForm: "connection"].map { $0.lowercased() }
        let options = Set(values.map { trimmed(String($0)) })
        let hasTab = head.headers["connection"].contains { $0.last == "\t" }
        return !summary.keepsAlive && options.contains("close") && (options.count > 1 || hasTab)
    }

    /// Trims tabs around a value, which SwiftNIO leaves.
    private func trimmed(_ value: String) -> String {
        String(value.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }

    private func content(_ framing: BodyFraming) -> [UInt8] {
        switch framing {
        case .none: []
        case .length(let length): Array(repeating: 0x61, count: min(length, 100))
        case .chunked: Array("hello".utf8)
        }
    }

    private func body(_ framing: BodyFraming) -> [UInt8] {
        guard framing == .chunked else { return content(framing) }
        return Array("5\r\nhello\r\n0\r\n\r\n".utf8)
    }

    private static let methodsOfPeer: Set = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"]
}
