import HTTP2Sessions
import HTTPMessages
import ProxySettings

/// What the HTTP/2 connections of one event loop share for their requests: where heads are read, and requests to be
/// used again.
///
/// Confined to its event loop.
///
/// Its `@exclusivity(unchecked)` properties are confined to the loop, and passed `inout` to nothing that writes to a
/// channel.
final class HTTP2Supplies {
    let loop: LoopServices
    private let upstreams: Upstreams
    @safe @exclusivity(unchecked) private var builder: RequestHeadBuilder
    @safe @exclusivity(unchecked) private var trailerBuilder: TrailerBuilder
    /// Of which the builders and the free requests are.
    @safe @exclusivity(unchecked) private var generation: Int
    @safe @exclusivity(unchecked) private var free: ContiguousArray<HTTP2RequestStream> = []

    /// Each holds the storage of a head.
    private static let mostFree = 256

    init(on loop: LoopServices, _ upstreams: Upstreams) {
        self.loop = loop
        self.upstreams = upstreams
        let limits = loop.configuration.limits.head
        builder = RequestHeadBuilder(limits: limits)
        trailerBuilder = TrailerBuilder(limits: ChunkLimits(trailerFields: limits.fields))
        generation = loop.configuration.generation
    }

    // MARK: Requests

    func takeRequest(of hop: DownstreamHop) -> HTTP2RequestStream {
        renew()
        return free.popLast() ?? HTTP2RequestStream(self, RequestExchange(on: loop, upstreams, hop: hop))
    }

    /// Takes back a request that is over.
    func recycle(_ request: HTTP2RequestStream) {
        // A request keeps its configuration alive, so one of an earlier generation goes.
        guard free.count < Self.mostFree, request.exchange.configuration.generation == loop.configuration.generation
        else { return }
        request.exchange.forgetRequest()
        free.append(request)
    }

    private func renew() {
        guard generation != loop.configuration.generation else { return }
        generation = loop.configuration.generation
        let limits = loop.configuration.limits.head
        builder = RequestHeadBuilder(limits: limits)
        trailerBuilder = TrailerBuilder(limits: ChunkLimits(trailerFields: limits.fields))
        free = []
    }

    // MARK: Field sections

    /// Makes a head of a field section.
    ///
    /// - Returns: why the request is answered by a refusal, if it is, and what is wrong with it, for the log.
    func readHead(
        _ section: FieldBlock, endsStream: Bool, into head: inout RequestHead
    ) -> (refusal: RequestHeadFault, fault: HeadFault?)? {
        builder.reset()
        do throws(RequestMalformation) {
            try section.forEach { name, value, isNeverIndexed throws(RequestMalformation) in
                try builder.add(name: name, value: value, isNeverIndexed: isNeverIndexed)
            }
        } catch {
            return (.malformed(error), builder.fault)
        }
        guard !section.isTooLarge else { return (.rejected(.field(.headTooLarge)), .beyondLimits) }
        do throws(RequestHeadFault) {
            try builder.finish(
                endsStream: endsStream, webSocketKey: builder.asksForWebSocket ? WebSocketKey.make() : "")
        } catch {
            return (error, builder.fault)
        }
        builder.exchange(for: &head)
        return nil
    }

    /// Whether the last section that was read is a HEAD request, valid or not.
    var methodIsHEAD: Bool { builder.methodIsHEAD }

    /// The field lines of a trailer section.
    func readTrailers(_ section: FieldBlock) throws(TrailerMalformation) -> [UInt8] {
        guard !section.isTooLarge else { throw .sectionTooLarge }
        trailerBuilder.reset()
        try section.forEach { name, value, isNeverIndexed throws(TrailerMalformation) in
            try trailerBuilder.add(name: name, value: value, isNeverIndexed: isNeverIndexed)
        }
        return trailerBuilder.lines
    }
}

@available(*, unavailable)
extension HTTP2Supplies: Sendable {}
