import Hummingbird
import NIOCore

/// Keeps connections of the admin listener for probes, before any handler runs.
struct AdminProbeRule: RouterMiddleware {
    typealias Context = AdminRequestContext

    /// Paths that monitoring asks, and must be able to ask whatever else is asked.
    static let probes: Set<String> = ["/livez", "/readyz", "/metrics"]

    /// True if a request for another path may be served on the connection.
    let serves: @Sendable (any Channel) -> Bool

    func handle(
        _ request: Request, context: AdminRequestContext, next: (Request, AdminRequestContext) async throws -> Response
    ) async throws -> Response {
        guard !Self.probes.contains(request.uri.path), !serves(context.channel) else {
            return try await next(request, context)
        }
        // The library closes the connection once the answer is written.
        context.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        var response = AdminServer.refusal(
            503,
            "too many connections are open: the last \(AdminLimits.keptForProbes) are for /livez, /readyz and /metrics")
        response.headers[.connection] = "close"
        return response
    }
}
