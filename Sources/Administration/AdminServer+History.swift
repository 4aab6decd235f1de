import HTTPTypes
import Hummingbird

/// Paths whose answers name persons.
extension AdminServer {
    static func addHistory(
        to router: Router<AdminRequestContext>, token: @escaping @Sendable () async -> [UInt8]?,
        _ service: HistoryService
    ) {
        router.get("/api/refusals") { request, _ in
            if let refused = refusal(of: request, token: await token()) { return personal(refused) }
            let query: RefusalQuery
            do throws(RefusalQuery.Fault) {
                query = try RefusalQuery(request.uri.queryParameters.map { (String($0.key), String($0.value)) })
            } catch {
                return personal(refusal(400, error.words))
            }
            guard let list = await service.refusals() else { return personal(refusal(503, HistoryService.absence)) }
            return personal(json(list.json(query)))
        }
        router.get("/api/callers") { request, _ in
            if let refused = refusal(of: request, token: await token()) { return personal(refused) }
            guard let list = await service.callers() else { return personal(refusal(503, HistoryService.absence)) }
            return personal(json(list.json))
        }
        router.get("/api/passed") { request, _ in
            if let refused = refusal(of: request, token: await token()) { return personal(refused) }
            guard let resource = request.uri.queryParameters["resource"], let rule = request.uri.queryParameters["rule"]
            else { return personal(refusal(400, "name a rule as /api/overview has it: ?resource=RESOURCE&rule=RULE")) }
            guard let list = await service.passed(String(resource), String(rule)) else {
                return personal(refusal(503, HistoryService.absence))
            }
            return personal(json(list.json))
        }
    }

    /// The answer to a request that is refused. Nil if it is permitted.
    static func refusal(of request: Request, token: [UInt8]?) -> Response? {
        OperatorPermission(token: token).refusal(of: request.head).map { refusal($0.status, $0.words) }
    }

    /// Adds the fields that keep an answer from pages of other sites.
    static func personal(_ response: Response) -> Response {
        var response = response
        for (name, value) in [("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "same-origin")] {
            if let name = HTTPField.Name(name) { response.headers[name] = value }
        }
        return response
    }
}
