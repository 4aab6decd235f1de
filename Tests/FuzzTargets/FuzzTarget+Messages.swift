import HTTPMessages
import NetworkNames

extension FuzzTarget {
    /// Checks that a verdict does not depend on how the bytes are split, and that a head contains nothing that could
    /// end a line.
    static func requestHead(_ bytes: [UInt8]) {
        let whole = RequestOutcome(bytes, split: bytes.count)
        for split in splits(of: bytes) {
            require(RequestOutcome(bytes, split: split) == whole, "the verdict depends on the split")
        }
        guard case .complete(let byteCount, let fields) = whole else { return }
        require(byteCount <= bytes.count, "the head is longer than what came")
        for field in fields {
            require(!field.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 }, "a field holds a line end")
        }
    }

    static func responseHead(_ bytes: [UInt8]) {
        for isHEAD in [false, true] {
            let whole = ResponseOutcome(bytes, split: bytes.count, isHEAD)
            for split in splits(of: bytes) {
                require(ResponseOutcome(bytes, split: split, isHEAD) == whole, "the verdict depends on the split")
            }
        }
    }

    static func chunks(_ bytes: [UInt8]) {
        let whole = ChunkOutcome(bytes, pieceSize: max(1, bytes.count))
        for size in [1, 2, 3, 7] {
            require(ChunkOutcome(bytes, pieceSize: size) == whole, "the body depends on the split")
        }
        require(whole.data.count <= bytes.count, "more data than bytes")
    }

    /// A few offsets, chosen by the bytes themselves, at which they are split. The verdict must not depend on them.
    private static func splits(of bytes: [UInt8]) -> [Int] {
        guard !bytes.isEmpty else { return [] }
        return [1, bytes.count / 2, bytes.count - 1, Int(bytes[bytes.count / 3]) % bytes.count]
    }
}

private enum RequestOutcome: Equatable {
    case complete(byteCount: Int, fields: [[UInt8]])
    case needsMore
    case rejected(RequestHeadRejection)

    init(_ bytes: [UInt8], split: Int) {
        var parser = RequestHeadParser()
        do throws(RequestHeadRejection) {
            if try parser.parse(bytes.span.extracting(first: split)) == .complete {
                // Bytes after a head change nothing.
            } else if try parser.parse(bytes.span) == .needsMore {
                self = .needsMore
                return
            }
            let head = parser.head
            self = .complete(
                byteCount: head.byteCount,
                fields: head.fields.flatMap { [Array(head.slice($0.name)), Array(head.slice($0.value))] })
        } catch {
            self = .rejected(error)
        }
    }
}

private enum ResponseOutcome: Equatable {
    case complete(byteCount: Int, status: Int)
    case needsMore
    case rejected(ResponseHeadRejection)

    init(_ bytes: [UInt8], split: Int, _ requestMethodIsHEAD: Bool) {
        var parser = ResponseHeadParser()
        do throws(ResponseHeadRejection) {
            if try parser.parse(bytes.span.extracting(first: split), requestMethodIsHEAD: requestMethodIsHEAD)
                == .complete
            {
                // Bytes after a head change nothing.
            } else if try parser.parse(bytes.span, requestMethodIsHEAD: requestMethodIsHEAD) == .needsMore {
                self = .needsMore
                return
            }
            self = .complete(byteCount: parser.head.byteCount, status: parser.head.status)
        } catch {
            self = .rejected(error)
        }
    }
}

private struct ChunkOutcome: Equatable {
    var data: [UInt8] = []
    var consumed = 0
    var rejection: ChunkRejection?
    var isAtEnd = false

    init(_ bytes: [UInt8], pieceSize: Int) {
        var decoder = ChunkedDecoder()
        var end = 0
        while end < bytes.count, !isAtEnd {
            end = min(bytes.count, end + pieceSize)
            while consumed < end, !isAtEnd {
                let piece = Array(bytes[consumed..<end])
                do throws(ChunkRejection) {
                    let step = try decoder.next(piece.span)
                    if case .data(let range) = step.event { data += piece[range] }
                    if step.consumed == 0, step.event == .needsMore { break }
                    consumed += step.consumed
                    isAtEnd = step.event == .end
                } catch {
                    rejection = error
                    // The number of bytes read of a rejected message does not matter.
                    consumed = 0
                    return
                }
            }
        }
    }
}

extension FuzzTarget {
    /// Checks that a PROXY header lies within the bytes and its limit, and that fewer or more bytes give no other
    /// header.
    static func proxyHeader(_ bytes: [UInt8]) {
        guard let received = try? ProxyHeader.read(bytes.span) else { return }
        require(
            received.length > 0 && received.length <= min(bytes.count, ProxyBlock.longest), "a header beyond its bytes")
        let header = Array(bytes.prefix(received.length))
        for part in [header, header + header] {
            require((try? ProxyHeader.read(part.span)) == received, "another header")
        }
        do {
            require(try ProxyHeader.read(Array(header.dropLast()).span) == nil, "less is as much")
        } catch {
            fatalError("less is refused")
        }
    }
}

extension FuzzTarget {
    /// Checks of a list of subprotocols, one field per line, that the forwarded list contains no protocol name and no
    /// token, and parses as the same again.
    static func tokenOffer(_ bytes: [UInt8]) {
        let values = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let names = [TokenProtocol.bearer] + [TokenProtocol("jwt")].compactMap(\.self)
        guard let head = offering(values.map { Array($0) }) else { return }
        let offer = ProtocolOffer(head.section, behind: names)
        require(offer.kept.count <= bytes.count * 2, "more is forwarded than was offered")
        if offer.name != nil {
            let entries = offer.kept.split(separator: UInt8(ascii: ","))
            require(!entries.contains(where: isFormedAsToken), "a token that stands apart from the name is forwarded")
        }
        for name in names {
            if case .token(let token) = head.section.tokenOffer(behind: name) {
                require(!token.isEmpty && token.upperBound <= head.byteCount, "a token that is not in the head")
                require(!head.slice(token).contains(UInt8(ascii: ",")), "more than one entry is taken for a token")
            }
        }
        // Split fields are joined by a comma and a space, so the list may be longer than one field may be.
        guard let forwarded = offering([offer.kept]) else { return }
        require(
            ProtocolOffer(forwarded.section, behind: names).kept == offer.kept, "another list when it is read again")
        for name in names {
            require(forwarded.section.tokenOffer(behind: name) == .none, "a name or token is forwarded")
        }
    }

    /// True if a reader of tokens would take the entry for one with the usual beginning.
    private static func isFormedAsToken(_ entry: ArraySlice<UInt8>) -> Bool {
        String(decoding: entry, as: UTF8.self).wholeMatch(of: /\s?eyJ[A-Za-z0-9_-]*(\.[A-Za-z0-9_-]*){2}/) != nil
    }

    /// A request with these fields. Nil if they do not form one.
    private static func offering(_ values: [[UInt8]]) -> RequestHead? {
        var text = Array("GET / HTTP/1.1\r\nHost: a\r\n".utf8)
        for value in values { text += Array("Sec-WebSocket-Protocol: ".utf8) + value + Array("\r\n".utf8) }
        text += Array("\r\n".utf8)
        var parser = RequestHeadParser()
        guard (try? parser.parse(text.span)) == .complete, parser.head.byteCount == text.count else { return nil }
        return parser.head
    }
}
