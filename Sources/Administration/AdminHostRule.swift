import HTTPTypes
import Hummingbird

/// Refuses requests to the admin listener because of their `Host`, before any handler runs.
///
/// Handlers under `/api` and `/issuers` also apply a stricter rule for `Host`.
struct AdminHostRule: RouterMiddleware {
    typealias Context = AdminRequestContext

    func handle(
        _ request: Request, context: AdminRequestContext, next: (Request, AdminRequestContext) async throws -> Response
    ) async throws -> Response {
        // The library takes the first `Host` as the authority and leaves further ones among the fields.
        if request.headers.contains(where: { $0.name.canonicalName == "host" }) {
            return AdminServer.refusal(400, "send one Host field")
        }
        // Probes are served under any `Host`, except to clients on this machine, which may be browsers.
        if AdminProbeRule.probes.contains(request.uri.path),
            LocalHost.isForeignName(request.head.authority, from: context.peer)
        {
            return AdminServer.refusal(421, LocalHost.refusal)
        }
        return try await next(request, context)
    }
}
