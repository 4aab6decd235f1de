import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import MetricFamilies
import NIOCore
import OperatorConsole

/// The admin listener: liveness, readiness, metrics and administration. Never served on a data listener.
public final class AdminServer: Sendable {
    /// The address that the listener is bound to, with the actual port.
    public let address: String
    private let task: Task<Void, any Error>

    private init(address: String, task: Task<Void, any Error>) {
        self.address = address
        self.task = task
    }

    /// Binds `host` and `port` and serves until `stop()`. Port 0 means any free port.
    ///
    /// - Parameters:
    ///   - permits: true if a client with this address is permitted. Connections of others are closed immediately.
    ///   - descriptorLimit: limit of the process's file descriptors. Called for every connection.
    ///   - readiness: called for every `/readyz`.
    ///   - metrics: called for every `/metrics`.
    ///   - upstreams: called for every `/api/upstreams`.
    ///   - configuration: called for every `/api/configuration`.
    ///   - token: the bearer token that ``OperatorPermission`` requires. Nil if the file has none.
    ///   - change: drains a target or returns it to rotation. Returns the upstreams that have the target, in their new
    ///     state.
    ///   - denials: shows and changes the deny list for permitted requests, and logs refused ones.
    ///   - refresh: fetches the keys of the issuer with this name now. Nil if there is no such issuer.
    ///   - history: what the gateway remembers of its requests, for permitted requests.
    ///   - overview: called for every `/api/overview`. Nil if there is none yet.
    /// - Throws: the system's error if the address could not be bound.
    public static func start(
        host: String, port: Int, permits: @escaping @Sendable (_ address: String?) -> Bool = { _ in true },
        descriptorLimit: @escaping @Sendable () -> Int, logger: Logger,
        readiness: @escaping @Sendable () async -> Readiness,
        metrics: @escaping @Sendable () async -> [MetricFamily],
        upstreams: @escaping @Sendable () async -> [UpstreamStatus] = { [] },
        configuration status: @escaping @Sendable () async -> ConfigurationStatus? = { nil },
        token: @escaping @Sendable () async -> [UInt8]? = { nil },
        change: @escaping @Sendable (TargetChange) async -> [UpstreamStatus] = { _ in [] },
        denials: DenialService,
        refresh: @escaping @Sendable (_ issuer: String) async -> KeyRefresh? = { _ in nil },
        history: HistoryService = HistoryService(),
        overview: @escaping @Sendable () async -> Overview? = { nil },
    ) async throws -> AdminServer {
        var logger = logger
        // The library logs an error for connections that the gateway itself closes.
        logger.logLevel = .critical
        let (ports, announcement) = AsyncStream.makeStream(of: Int.self)
        var configuration = ApplicationConfiguration(address: .hostname(host, port: port), serverName: nil)
        configuration.availableConnectionsDelegate = .maximum(AdminLimits.connections, logger: logger)
        let limits = AdminLimits(descriptorLimit: descriptorLimit)
        let application = Application(
            router: router(
                readiness: readiness, metrics: metrics, upstreams: upstreams, configuration: status, token: token,
                change: change,
                denials: denials,
                refresh: refresh, history: history, overview: overview, serves: limits.serves),
            server: server(limits),
            configuration: configuration,
            onServerRunning: { channel in
                // Accept one connection at a time, so that the limit is exact.
                try? await channel.setOption(.maxMessagesPerRead, value: 1).get()
                try? await channel.eventLoop.submit {
                    try channel.pipeline.syncOperations.addHandler(AdminAcceptGate(permits: permits), position: .first)
                }.get()
                announcement.yield(channel.localAddress?.port ?? port)
            },
            logger: logger,
        )
        let task = Task {
            defer { announcement.finish() }
            try await application.run()
        }
        for await bound in ports {
            return AdminServer(address: host.contains(":") ? "[\(host)]:\(bound)" : "\(host):\(bound)", task: task)
        }
        try await task.value
        throw CancellationError()
    }

    public func stop() async {
        task.cancel()
        _ = await task.result
    }

    private static func server(_ limits: AdminLimits) -> HTTPServerBuilder {
        .http1(
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [AdminConnectionLimits(limits)],
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: AdminLimits.fields, maxHeaderListSize: AdminLimits.fields,
                    maxHeaderFieldCount: AdminLimits.fieldCount)))
    }

    static func router(
        readiness: @escaping @Sendable () async -> Readiness, metrics: @escaping @Sendable () async -> [MetricFamily],
        upstreams: @escaping @Sendable () async -> [UpstreamStatus],
        configuration status: @escaping @Sendable () async -> ConfigurationStatus? = { nil },
        token: @escaping @Sendable () async -> [UInt8]?,
        change: @escaping @Sendable (TargetChange) async -> [UpstreamStatus], denials: DenialService,
        refresh: @escaping @Sendable (_ issuer: String) async -> KeyRefresh?,
        history: HistoryService = HistoryService(),
        overview: @escaping @Sendable () async -> Overview? = { nil },
        serves: @escaping @Sendable (any Channel) -> Bool = { _ in true },
    ) -> Router<AdminRequestContext> {
        let router = Router(context: AdminRequestContext.self)
        router.add(middleware: AdminProbeRule(serves: serves))
        router.add(middleware: AdminHostRule())
        router.get("/livez") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/plain", .cacheControl: "no-store"],
                body: text(Array("ok\n".utf8)))
        }
        router.get("/readyz") { request, _ in
            let (status, body) = await readiness().answer(for: request.uri.queryParameters["issuer"].map(String.init))
            let fields: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
            return Response(status: HTTPResponse.Status(code: status), headers: fields, body: text(body))
        }
        router.get("/metrics") { _, _ in
            let fields: HTTPFields = [.contentType: PrometheusText.contentType, .cacheControl: "no-store"]
            return Response(status: .ok, headers: fields, body: text(PrometheusText.bytes(await metrics())))
        }
        router.get("/api/configuration") { request, _ in
            guard LocalHost.permits(request.head.authority) else { return refusal(421, LocalHost.refusal) }
            guard let status = await status() else { return refusal(503, "the gateway is shutting down") }
            return json(status.json)
        }
        router.get("/api/upstreams") { request, _ in
            guard LocalHost.permits(request.head.authority) else { return refusal(421, LocalHost.refusal) }
            return json(UpstreamStatus.json(await upstreams()))
        }
        for (path, isDrained) in [("/api/upstreams/drain", true), ("/api/upstreams/return", false)] {
            router.post(RouterPath(path)) { request, _ in
                if let refused = refusal(of: request, token: await token()) { return refused }
                let asked = TargetChange(isDrained: isDrained) {
                    request.uri.queryParameters[Substring($0)].map(String.init)
                }
                guard let asked else { return refusal(400, "name a target: ?target=HOST:PORT") }
                let changed = await change(asked)
                return changed.isEmpty
                    ? refusal(404, "no upstream with several targets has this one; GET /api/upstreams lists them")
                    : json(UpstreamStatus.json(changed))
            }
        }
        addDenials(to: router, token: token, denials)
        addRefresh(to: router, token: token, refresh: refresh)
        addHistory(to: router, token: token, history)
        addConsole(to: router, overview)
        return router
    }

    private static func addRefresh(
        to router: Router<AdminRequestContext>, token: @escaping @Sendable () async -> [UInt8]?,
        refresh: @escaping @Sendable (_ issuer: String) async -> KeyRefresh?,
    ) {
        let path: RouterPath = "/issuers/:name/refresh"
        router.post(path) { request, context in
            if let refused = refusal(of: request, token: await token()) { return refused }
            // The router does not decode escapes.
            guard let name = context.parameters.get("name").flatMap(PathSegment.decoded),
                let refreshed = await refresh(name)
            else {
                return refusal(404, "there is no issuer with this name; GET /readyz lists them")
            }
            return json(refreshed.body, status: HTTPResponse.Status(code: refreshed.status))
        }
        for method in [HTTPRequest.Method.get, .head, .put, .patch, .delete] {
            router.on(path, method: method) { _, _ in
                var response = refusal(405, "send POST")
                response.headers[.allow] = "POST"
                return response
            }
        }
    }

    private static func addDenials(
        to router: Router<AdminRequestContext>, token: @escaping @Sendable () async -> [UInt8]?,
        _ service: DenialService
    ) {
        let actions: [(HTTPRequest.Method, RouterPath, DenialAction)] = [
            (.get, "/api/denials", .list), (.post, "/api/denials", .add), (.post, "/api/denials/remove", .remove),
        ]
        for (method, path, action) in actions {
            router.on(path, method: method) { request, context in
                if let refused = OperatorPermission(token: await token()).refusal(of: request.head) {
                    service.noteRefusal(action, DenialCaller(address: context.peer, identity: .nobody), refused.status)
                    return refusal(refused.status, refused.words)
                }
                let caller = DenialCaller(address: context.peer, identity: .operatorToken)
                guard action == .list || DenialRequest.isJSON(request.headers[.contentType]) else {
                    service.noteRefusal(action, caller, 415)
                    return refusal(415, "send one entry as application/json")
                }
                guard let body = try? await request.body.collect(upTo: DenialRequest.longestBody) else {
                    service.noteRefusal(action, caller, 413)
                    return refusal(413, "the body is too long: at most \(DenialRequest.longestBody) bytes")
                }
                let asked = DenialRequest(action: action, body: Array(body.readableBytesView))
                let answer = await service.answer(asked, caller)
                return json(answer.body, status: HTTPResponse.Status(code: answer.status))
            }
        }
    }

    static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"], body: text(bytes))
    }

    static func refusal(_ status: Int, _ words: String) -> Response {
        var response = json(Array("{\"error\":\"\(words)\"}".utf8), status: HTTPResponse.Status(code: status))
        if status == 401 { response.headers[.wwwAuthenticate] = "Bearer" }
        return response
    }

    static func text(_ bytes: [UInt8]) -> ResponseBody {
        ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
    }
}
