import HTTPMessages

/// The rule that an upstream's response breaks, so that it is not relayed.
enum ResponseFault: Error, Hashable {
    /// Rule for response heads of both HTTP/1.1 and HTTP/2.
    case head(ResponseHeadRejection)
    /// Rule for the framing of a chunked body.
    case body(ChunkRejection)
    /// Rule for response heads of HTTP/2 only.
    case section(ResponseMalformation)
    /// Rule for trailer sections of HTTP/2.
    case trailers(TrailerMalformation)
    /// Rule for the frames of an HTTP/2 stream (RFC 9113 §8.1).
    case frames
    /// More interim responses (1xx) than `FixedLimits.interimResponses`.
    case interimResponses
    /// Status 101 that does not answer a WebSocket handshake of this request.
    case protocolSwitch
    /// Status 101 with a subprotocol that the client did not offer.
    case unofferedProtocol
    /// Status 2xx where 101 would accept the WebSocket handshake. In HTTP/2, 2xx would switch protocols too (RFC 8441
    /// §5).
    case noProtocolSwitch

    init(_ fault: ResponseHeadFault) {
        self =
            switch fault {
            case .malformed(let malformation): .section(malformation)
            case .rejected(let rejection): .head(rejection)
            }
    }
}
