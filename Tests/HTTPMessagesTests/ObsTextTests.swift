import HTTPMessages
import Testing

/// Bytes above 0x7F in the values of a request's fields: opaque to the gateway where it only forwards them, refused
/// where it reads them.
@Suite struct ObsTextTests {
    private static let limits = {
        var limits = HeadLimits()
        limits.tokenFields = ["X-Token"].compactMap { FieldName($0) }
        limits.readFields = ["X-Cell", "X-Auth-Team"].compactMap { FieldName($0) }
        return limits
    }()

    /// Rejection of one field, equal for both versions' readers and for every split of the bytes. Nil if the field is
    /// accepted.
    private func rejection(_ name: String, _ value: [UInt8]) -> RequestHeadRejection? {
        let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n\(name): ".utf8) + value + Array("\r\n\r\n".utf8)
        let verdict = RequestVerdict(bytes, limits: Self.limits)
        #expect(RequestVerdict.byteByByte(bytes, limits: Self.limits) == verdict, "\(name)")
        if case .complete(let head) = verdict { #expect(head.fields.count == 2, "\(name)") }
        var builder = RequestHeadBuilder(limits: Self.limits)
        var built: RequestHeadRejection?
        do {
            for (name, value) in [(":method", "GET"), (":scheme", "https"), (":authority", "a"), (":path", "/")] {
                try builder.add(name: name.utf8.span, value: value.utf8.span, isNeverIndexed: false)
            }
            try builder.add(name: name.lowercased().utf8.span, value: value.span, isNeverIndexed: false)
            try builder.finish(endsStream: true)
            let last = builder.head.fields.last.map { Array(builder.head.bytes[$0.value]) }
            #expect(last == value, "\(name)")
        } catch RequestHeadFault.rejected(let rejection) {
            built = rejection
        } catch {
            Issue.record("\(name) is malformed: \(error)")
        }
        #expect(built == verdict.rejection, "\(name)")
        return verdict.rejection
    }

    @Test(arguments: [
        "Cookie", "User-Agent", "Referer", "Accept", "Accept-Language", "From", "X-Title", "Content-Disposition",
        "Cache-Control", "Date",
        "CF-IPCity", "X-Cells", "If-Match",
    ])
    func `T256 a field that is only forwarded may have bytes above 0x7F within its value`(_ name: String) {
        for byte in UInt8(0x80)...0xFF {
            #expect(rejection(name, [0x61, byte, 0x62]) == nil, "byte \(byte)")
            // In Latin-1 these two bytes are white space.
            let expected: RequestHeadRejection? = byte == 0x85 || byte == 0xA0 ? .field(.nonASCIIByte) : nil
            for value in [[byte, 0x61], [0x61, byte], [byte]] {
                #expect(rejection(name, value) == expected, "byte \(byte)")
            }
        }
        #expect(rejection(name, Array("Zoë 名".utf8)) == nil)
    }

    @Test(arguments: [
        "Host", "Authorization", "X-Token", "Proxy-Authorization", "Content-Length", "Transfer-Encoding", "Connection",
        "Keep-Alive", "TE",
        "Trailer", "Upgrade", "Expect", "Origin", "Access-Control-Request-Method", "Access-Control-Request-Headers",
        "Access-Control-Request-Private-Network", "Sec-WebSocket-Key", "Sec-WebSocket-Version",
        "Sec-WebSocket-Protocol",
        "Sec-WebSocket-Extensions", "traceparent", "tracestate", "X-Request-ID", "Content-Type", "Forwarded",
        "X-Forwarded-For",
        "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Prefix", "X-Forwarded-Server",
        "X-Real-IP", "Via",
        "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Original-URL", "X-Rewrite-URL",
        "Max-Forwards", "X-Cell",
        "X-Auth-Team", "X-Auth-Subject", "Client-Cert", "Client-Cert-Chain", "X-Forwarded-User", "X-Forwarded-Email",
        "X-Original-Method",
        "X-Forwarded-Uri", "X-Forwarded-Method", "X-Client-IP", "True-Client-IP", "X-Cluster-Client-IP", "Grpc-Timeout",
    ])
    func `T256 a field whose value the gateway reads may have none above 0x7F, under any spelling`(_ name: String) {
        for spelling in [name, name.lowercased(), name.replacing("-", with: "_"), name.replacing("-", with: ".")] {
            // Another mistake in the value may be reported first; the value never passes.
            for value: [UInt8] in [[0x61, 0xC3, 0xA9], [0xC3, 0xA9, 0x61], [0x31, 0x80, 0x31]] {
                #expect(RequestVerdict(head(spelling, value), limits: Self.limits).rejection != nil, "\(spelling)")
            }
        }
    }

    private func head(_ name: String, _ value: [UInt8]) -> [UInt8] {
        // A different length, instead of a second length field.
        let host = name.lowercased() == "host" ? "" : "Host: a\r\n"
        return Array("GET / HTTP/1.1\r\n\(host)\(name): ".utf8) + value + Array("\r\n\r\n".utf8)
    }

    @Test func `T256 first lines and field names may have no bytes above 0x7F`() {
        for text in [
            "GÉT / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nXé: a\r\n\r\n",
            "GET / HTTP/1.é\r\nHost: a\r\n\r\n",
        ] {
            #expect(RequestVerdict(Array(text.utf8), limits: Self.limits).rejection != nil)
        }
    }

    @Test(arguments: [
        ("X-Title", "é", true), ("X-Title", "a\u{E0}", false), ("X-Request-ID", "é", false),
        ("X_Auth_Subject", "é", false),
        ("x.token", "é", false), ("X-Auth-Subject", "a", true), ("Grpc-Message", "é", true),
    ])
    func `T256 a trailer with bytes above 0x7F is admitted only where a head field would be`(
        name: String, value: String, isAdmitted: Bool
    )
        throws
    {
        let lines = Array("\(name): \(value)\r\n".utf8)
        let field = try #require(Array(TrailerFields(lines)).first)
        #expect(Self.limits.admitsObsText(of: field) == isAdmitted)
    }
}
