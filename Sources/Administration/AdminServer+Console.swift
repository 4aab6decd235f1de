import HTTPTypes
import Hummingbird
import OperatorConsole

/// State of the gateway without persons, for everybody who may use the admin listener.
extension AdminServer {
    static func addConsole(
        to router: Router<AdminRequestContext>, _ overview: @escaping @Sendable () async -> Overview?
    ) {
        router.get("/api/overview") { request, _ in
            guard LocalHost.permits(request.head.authority) else { return personal(refusal(421, LocalHost.refusal)) }
            guard let overview = await overview() else { return personal(refusal(503, HistoryService.absence)) }
            return personal(json(overview.json))
        }
    }
}
