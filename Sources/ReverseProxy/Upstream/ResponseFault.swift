import HTTPMessages

/// The rule that an upstream's response breaks, so that it is not relayed.
enum ResponseFault: Error, Hashable {
    /// A rule for heads of either version.
    case head(ResponseHeadRejection)
    /// A rule for the framing of a chunked body.
    case body(ChunkRejection)
    /// A rule for heads of HTTP/2 alone.
    case section(ResponseMalformation)
    /// A rule for trailer sections of HTTP/2.
    case trailers(TrailerMalformation)
    /// A rule for the frames of a stream.
    case frames
    /// More interim responses than are relayed.
    case interimResponses
    /// 101 that answers no handshake of the request's.
    case protocolSwitch
    /// 101 with a subprotocol that the client does not offer.
    case unofferedProtocol
    /// Success in place of 101: in HTTP/2 that would switch protocols too (RFC 8441 §5).
    case noProtocolSwitch

    init(_ fault: ResponseHeadFault) {
        self =
            switch fault {
            case .malformed(let malformation): .section(malformation)
            case .rejected(let rejection): .head(rejection)
            }
    }
}
