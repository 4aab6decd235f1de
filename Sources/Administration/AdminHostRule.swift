import HTTPTypes
import Hummingbird

/// Refuses requests to the admin listener by their `Host` alone, before anything is looked up for them.
///
/// The data and the changes under `/api` and `/issuers` have a stricter rule for `Host`, beside their handlers.
struct AdminHostRule: RouterMiddleware {
    typealias Context = AdminRequestContext

    /// Paths that answer whoever reaches them, a browser of this machine excepted.
    private static let open: Set<String> = ["/livez", "/readyz", "/metrics"]

    func handle(
        _ request: Request, context: AdminRequestContext, next: (Request, AdminRequestContext) async throws -> Response
    ) async throws -> Response {
        // The library makes the first one the authority, and leaves others among the fields.
        if request.headers.contains(where: { $0.name.canonicalName == "host" }) {
            return AdminServer.refusal(400, "send one Host field")
        }
        if Self.open.contains(request.uri.path), LocalHost.isForeignName(request.head.authority, from: context.peer) {
            return AdminServer.refusal(421, LocalHost.refusal)
        }
        return try await next(request, context)
    }
}
