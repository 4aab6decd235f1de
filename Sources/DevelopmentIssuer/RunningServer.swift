import Files
import FoundationEssentials
import Hummingbird
import Logging
import NIOCore
import SystemPackage

/// An HTTP server that runs until it is stopped.
final class RunningServer: Sendable {
    private let task: Task<Void, any Error>

    private init(task: Task<Void, any Error>) {
        self.task = task
    }

    /// Binds the address and serves.
    ///
    /// - Parameter bound: called with the bound port before the first request is answered.
    static func start(
        _ router: Router<BasicRequestContext>, on address: ServerAddress,
        bound: @escaping @Sendable (ServerAddress) -> Void = { _ in },
    ) async throws(ServerStartFailure) -> (server: RunningServer, address: ServerAddress) {
        let (ports, announcement) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname(address.host, port: address.port)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? address.port
                bound(address.with(port: port))
                announcement.yield(port)
            },
            logger: logger,
        )
        let task = Task {
            // The end of the run also ends the wait for the port, if none was announced.
            defer { announcement.finish() }
            try await application.run()
        }
        for await port in ports { return (RunningServer(task: task), address.with(port: port)) }
        // Either the run has failed, or the caller was cancelled.
        task.cancel()
        throw await failure(of: task, address: address)
    }

    /// Closes all connections at once, and returns when the port is free again.
    func stop() async {
        task.cancel()
        _ = await task.result
    }

    private static func failure(of task: Task<Void, any Error>, address: ServerAddress) async -> ServerStartFailure {
        switch await task.result {
        case .success: .notBound(address, "it stopped at once")
        case .failure(let error as IOError) where Errno(rawValue: error.errnoCode) == .addressInUse:
            .addressInUse(address)
        case .failure(let error as IOError): .notBound(address, Errno(rawValue: error.errnoCode).words)
        case .failure(is SocketAddressError.UnknownHost): .notBound(address, "the name has no address")
        case .failure: .notBound(address, "the server did not start")
        }
    }

    private static var logger: Logger {
        var logger = Logger(label: "bearward-dev", factory: { label in StreamLogHandler.standardError(label: label) })
        logger.logLevel = .critical
        return logger
    }
}

/// Reason why a server of this module did not start.
public enum ServerStartFailure: Error, Hashable, Sendable, CustomStringConvertible {
    case addressInUse(ServerAddress)
    /// The address could not be bound for another reason, which the text describes.
    case notBound(ServerAddress, String)
    /// The cryptographic library did not generate a signing key.
    case keyUnavailable

    public var description: String {
        switch self {
        case .addressInUse(let address): "the address \(address) is in use"
        case .notBound(let address, let cause): "the address \(address) could not be bound: \(cause)"
        case .keyUnavailable: "no signing key could be made"
        }
    }
}
