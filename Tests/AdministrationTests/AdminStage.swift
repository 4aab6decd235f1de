import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Synchronization

@testable import Administration

/// The paths of the admin listener without sockets, with operations that are noted and always succeed.
final class AdminStage: Sendable {
    static let token = "0123456789abcdef"

    /// Operations that permitted requests reached, and statuses that the deny list's log got.
    private let notes = Mutex<[String]>([])

    /// - Parameter token: the token of `admin.token_file`. Nil if the file has none.
    func answer(to head: HTTPRequest, body: String = "{}", token: String? = AdminStage.token) async throws -> (
        status: Int, body: String, notes: [String]
    ) {
        notes.withLock { $0 = [] }
        let secret = token.map { Array($0.utf8) }
        let router = AdminServer.router(
            readiness: { Readiness(phase: .running, issuers: []) }, metrics: { [] }, upstreams: { [] },
            configuration: {
                ConfigurationStatus(inForce: .init(generation: 1, loadedAt: nil, lastError: nil), shadow: nil)
            },
            token: { secret },
            change: { change in
                self.note(change.isDrained ? "drain" : "return")
                return []
            },
            denials: DenialService(
                answer: { request, caller in
                    self.note("\(request.action.rawValue) \(caller.identity.rawValue)")
                    return DenialAnswer(status: 200, body: Array("{}".utf8))
                },
                noteRefusal: { action, caller, status in
                    self.note("\(action.rawValue) \(caller.identity.rawValue) \(status)")
                }),
            refresh: { name in
                self.note("refresh")
                return KeyRefresh(issuer: name, keySets: [])
            },
            history: HistoryService(
                refusals: {
                    self.note("refusals")
                    return RefusalList(lines: [], noted: 0, leftOut: 0)
                },
                callers: {
                    self.note("callers")
                    let none = CallerList.Ranking(callers: [], total: 0, unlisted: 0)
                    return CallerList(clients: none, subjects: none, addresses: none, length: .seconds(300))
                },
                passed: { resource, rule in
                    self.note("passed")
                    let caller = CallerList.Caller(
                        issuer: "idp", name: "\(resource) \(rule)", isCut: false, count: 3, error: 1)
                    return PassedList(
                        callers: [PassedList.Caller(isClient: true, caller)], unlisted: 2, length: .seconds(3600))
                }))
        let channel = NIOAsyncTestingChannel()
        let context = AdminRequestContext(
            source: ApplicationRequestContextSource(channel: channel, logger: Logger(label: "test")))
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body)))
        let response = try await router.buildResponder().respond(to: request, context: context)
        let writer = CollectedBody()
        try await response.body.write(writer)
        return (response.status.code, writer.text, notes.withLock { $0 })
    }

    private func note(_ words: String) { notes.withLock { $0.append(words) } }
}

/// Body of an answer as text.
private final class CollectedBody: ResponseBodyWriter {
    private(set) var text = ""

    func write(_ buffer: ByteBuffer) async throws { text += String(buffer: buffer) }

    func finish(_ trailers: HTTPFields?) async throws {}
}
