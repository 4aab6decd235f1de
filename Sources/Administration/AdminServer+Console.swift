import HTTPTypes
import Hummingbird
import OperatorConsole

/// The operators' page, and the state of the gateway without persons, for everybody who may use the admin listener.
extension AdminServer {
    static func addConsole(
        to router: Router<AdminRequestContext>, _ overview: @escaping @Sendable () async -> Overview?
    ) {
        router.get("/api/overview") { request, _ in
            guard LocalHost.permits(request.head.authority) else { return personal(refusal(421, LocalHost.refusal)) }
            guard let overview = await overview() else { return personal(refusal(503, HistoryService.absence)) }
            return personal(json(overview.json))
        }
        router.get("/") { request, _ in
            guard LocalHost.permits(request.head.authority) else { return personal(refusal(421, LocalHost.refusal)) }
            guard let overview = await overview() else { return personal(refusal(503, HistoryService.absence)) }
            return page(ConsolePage(overview).html, ConsolePage.contentType)
        }
        for (path, body, type) in [
            ("/console.css", ConsoleStyle.text, ConsoleStyle.contentType),
            ("/console.js", ConsoleScript.text, ConsoleScript.contentType),
        ] {
            router.get(RouterPath(path)) { request, _ in
                guard LocalHost.permits(request.head.authority) else {
                    return personal(refusal(421, LocalHost.refusal))
                }
                return page(body, type)
            }
        }
    }

    private static func page(_ body: String, _ contentType: String) -> Response {
        var fields: HTTPFields = [.contentType: contentType]
        for (name, value) in ConsolePolicy.fields {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return Response(status: .ok, headers: fields, body: text(Array(body.utf8)))
    }
}
