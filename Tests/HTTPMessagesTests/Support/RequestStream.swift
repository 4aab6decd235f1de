import HTTPMessages

/// Bytes of a connection: heads are parsed and bodies skipped until an error or the end.
struct RequestStream {
    enum End: Hashable {
        /// All bytes belong to complete requests.
        case clean
        /// The last request is not finished.
        case unfinished
        /// A request forbade further ones, yet bytes follow.
        case closedWithBytesLeft
        case head(RequestHeadRejection)
        case chunk(ChunkRejection)
    }

    private(set) var requests: [RequestSummary] = []
    private(set) var bodies: [[UInt8]] = []
    private(set) var end = End.clean

    init(_ bytes: [UInt8]) {
        var rest = bytes[...]
        var parser = RequestHeadParser()
        while !rest.isEmpty {
            parser.reset()
            do {
                guard try parser.parse(rest.span) == .complete else {
                    end = .unfinished
                    return
                }
            } catch {
                end = .head(error)
                return
            }
            requests.append(RequestSummary(parser.head))
            rest = rest.dropFirst(parser.head.byteCount)
            guard skipBody(parser.head.framing, &rest) else { return }
            if !parser.head.keepsAlive, !rest.isEmpty {
                end = .closedWithBytesLeft
                return
            }
        }
    }

    var isRefused: Bool { end != .clean && end != .unfinished }

    private mutating func skipBody(_ framing: BodyFraming, _ rest: inout ArraySlice<UInt8>) -> Bool {
        switch framing {
        case .none:
            bodies.append([])
            return true
        case .length(let length):
            bodies.append(Array(rest.prefix(length)))
            guard rest.count >= length else {
                end = .unfinished
                return false
            }
            rest = rest.dropFirst(length)
            return true
        case .chunked:
            let outcome = DecodedChunks(Array(rest))
            bodies.append(outcome.data)
            rest = rest.dropFirst(outcome.consumed)
            if let rejection = outcome.rejection { end = .chunk(rejection) }
            if outcome.rejection == nil, !outcome.isAtEnd { end = .unfinished }
            return outcome.isAtEnd
        }
    }
}

/// Result of decoding a chunked body.
struct DecodedChunks: Hashable {
    var data: [UInt8] = []
    var consumed = 0
    var isAtEnd = false
    var rejection: ChunkRejection?

    /// Decodes bytes that arrive in pieces of the size given.
    init(_ bytes: [UInt8], pieceSize: Int = .max, limits: ChunkLimits = ChunkLimits()) {
        var decoder = ChunkedDecoder(limits: limits)
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(pieceSize)
            do throws(ChunkRejection) {
                let step = try decoder.next(piece.span)
                if case .data(let range) = step.event { data.append(contentsOf: Array(piece)[range]) }
                consumed += step.consumed
                rest = rest.dropFirst(step.consumed)
                isAtEnd = step.event == .end
                if isAtEnd { return }
            } catch {
                rejection = error
                return
            }
        }
    }

    init(_ text: String, pieceSize: Int = .max, limits: ChunkLimits = ChunkLimits()) {
        self.init(Array(text.utf8), pieceSize: pieceSize, limits: limits)
    }
}
