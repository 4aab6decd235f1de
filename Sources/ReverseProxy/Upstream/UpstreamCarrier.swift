import HTTPMessages
import NIOCore

/// What carries one request to an upstream, and its answer back: an HTTP/1.1 connection, or a stream.
///
/// Its lessee calls it for everything that touches the upstream. What it writes can bring in events before it returns.
protocol UpstreamCarrier: AnyObject {
    /// How the request's head is written, before the first `send`.
    var headForm: UpstreamHeadForm { get }
    /// Whether the upstream may say that it did not process a request, after it was sent.
    var mayRefuse: Bool { get }
    /// Whether more of the request can be written without piling up.
    var isWritable: Bool { get }

    /// Gives it to a request; false if it turns out not to be usable.
    func lease(to lessee: any UpstreamLessee, _ terms: LeaseTerms) -> Bool

    /// Writes the head that the loop holds, if there is one, and body content behind it.
    ///
    /// - Parameter trailers: field lines behind the content; only with its end.
    func send(_ content: ByteBuffer?, framing: OutgoingFraming, ends: Bool, trailers: [UInt8])

    /// Continues with the response if it was paused because the client did not read it.
    func resumeReading()

    /// Ends the lease before the response ended.
    func abandon()

    /// A silent upstream may be gone: other requests must not have to find that out one by one.
    func doubtSession()

    // MARK: Tunnels

    /// Writes bytes of the protocol that was switched to.
    func sendRaw(_ bytes: ByteBuffer)
    /// Ends our side of the tunnel.
    func endTunnelOutput()
    /// Ends the tunnel: with last bytes, and a little time for the upstream to see them.
    func endTunnel(_ lastBytes: ByteBuffer)
}

/// What the head of a request is written as.
enum UpstreamHeadForm: Hashable {
    /// HTTP/1.1 text, in the loop's outgoing bytes.
    case text
    /// Fields of HTTP/2, in the loop's field writer.
    case fields(FieldWriter.Scheme)
}
