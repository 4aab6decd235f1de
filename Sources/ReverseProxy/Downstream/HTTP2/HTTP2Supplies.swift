import HTTP2Sessions
import HTTPMessages
import ProxySettings

/// Objects shared by the HTTP/2 connections of one event loop: builders that parse heads and trailers, and a pool of
/// request objects.
///
/// Confined to its event loop.
///
/// Its `@exclusivity(unchecked)` properties are confined to the loop, and never passed `inout` to code that writes to a
/// channel.
final class HTTP2Supplies {
    let loop: LoopServices
    private let upstreams: Upstreams
    @safe @exclusivity(unchecked) private var builder: RequestHeadBuilder
    @safe @exclusivity(unchecked) private var trailerBuilder: TrailerBuilder
    /// Configuration generation of the builders and of the pooled requests.
    @safe @exclusivity(unchecked) private var generation: Int
    @safe @exclusivity(unchecked) private var free: ContiguousArray<HTTP2RequestStream> = []

    /// Largest number of pooled requests. Each holds the storage of a head.
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

    /// Returns a finished request to the pool.
    func recycle(_ request: HTTP2RequestStream) {
        // A request keeps its configuration alive, so one of an earlier generation is dropped.
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

    /// Parses a field section into a request head.
    ///
    /// - Returns: The rejection that answers the request, and the exact error for the log. Nil if the head is valid.
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

    /// True if the section parsed last is a HEAD request, valid or not.
    var methodIsHEAD: Bool { builder.methodIsHEAD }

    /// Parses a trailer section into field lines.
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
