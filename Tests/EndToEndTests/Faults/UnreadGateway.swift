import Foundation
import TestSupport
import Testing

/// The real `bearward serve` with output that a test may leave unread. Its state is read over its sockets and from the
/// system.
final class UnreadGateway: Sendable {
    private let process: Process
    let port: Int
    let adminPort: Int
    private let folder: TemporaryFolder

    /// The configured drain timeout.
    static let drain: Duration = .seconds(2)
    /// Time after the drain in which worker and supervisor wait for unread lines, on a machine that may be busy.
    static let end: Duration = .seconds(15)

    private init(process: Process, port: Int, adminPort: Int, folder: TemporaryFolder) {
        self.process = process
        self.port = port
        self.adminPort = adminPort
        self.folder = folder
    }

    deinit { process.end(after: .zero) }

    struct NotReady: Error {}

    /// Starts the gateway and waits until it is ready.
    ///
    /// - Parameters:
    ///   - output: the gateway's standard output. Nil to discard it.
    ///   - launcher: a program and its arguments that start the command after them.
    static func start(
        upstream: String, output: FileHandle?, errors: FileHandle?, accessLog: String = "stdout",
        launcher: [String] = []
    ) async throws -> UnreadGateway {
        // Another process may take the port between its choice and the start.
        for _ in 0..<3 {
            let gateway = try launch(upstream, output, errors, accessLog, launcher)
            var isReady = false
            _ = await BearwardProcess.wait {
                isReady = await gateway.administration("/readyz")?.status == 200
                return isReady || !gateway.process.isRunning
            }
            if isReady { return gateway }
            guard !gateway.process.isRunning else { throw NotReady() }
        }
        throw NotReady()
    }

    private static func launch(
        _ upstream: String, _ output: FileHandle?, _ errors: FileHandle?, _ accessLog: String, _ launcher: [String]
    ) throws -> UnreadGateway {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("bearward.yaml")
        let (port, adminPort) = (try FreePort.find(), try FreePort.find())
        try """
        listen: 127.0.0.1:\(port)
        admin: 127.0.0.1:\(adminPort)
        event_loops: 2
        access_log: \(accessLog)
        log: {format: text}
        timeouts: {drain: 2s}
        issuers: {}
        resources: {open: {at: [/], upstream: "\(upstream)", rules: {GET /**: {public: true}}}}
        """.write(to: file, atomically: true, encoding: .utf8)
        let process = Process()
        // The test runner ignores SIGPIPE, and a child would inherit that.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let program = BearwardProcess.directory.appendingPathComponent("bearward").path
        process.arguments = ["--default-signal=PIPE"] + launcher + [program, "serve", "--config", file.path]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output ?? FileHandle.nullDevice
        process.standardError = errors ?? FileHandle.nullDevice
        try process.run()
        return UnreadGateway(process: process, port: port, adminPort: adminPort, folder: folder)
    }

    // MARK: What the system says

    var isRunning: Bool { process.isRunning }

    /// Process ID of the serving worker. Nil while there is none.
    var worker: Int32? {
        let pid = process.processIdentifier
        let children = try? String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
        return children?.split(separator: " ").last.flatMap { Int32($0) }
    }

    func signal(_ number: Int32) {
        guard process.isRunning else { return }
        kill(process.processIdentifier, number)
    }

    /// The exit status. Nil if the process did not exit in time.
    func exitStatus(within limit: Duration) async -> Int32? {
        guard await BearwardProcess.wait(atMost: limit, until: { !process.isRunning }) else { return nil }
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    // MARK: What it answers

    /// Answer of the admin listener. Nil without a complete answer in time.
    func administration(_ path: String) async -> (status: Int, body: String)? {
        let text = await Self.exchange(
            adminPort, "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        guard let text, let status = Int(text.dropFirst(9).prefix(3)), let end = text.range(of: "\r\n\r\n") else {
            return nil
        }
        return (status, String(text[end.upperBound...]))
    }

    /// One sample of `/metrics`.
    func figure(_ sample: String) async -> Double? {
        await administration("/metrics")?.body.split(separator: "\n").first { $0.hasPrefix(sample + " ") }
            .flatMap { Double($0.dropFirst(sample.count + 1)) }
    }

    /// True if a counter of `/metrics` rises above zero in time. Some events are counted after the answers.
    func counts(_ sample: String) async -> Bool {
        await BearwardProcess.wait { await self.figure(sample) ?? 0 > 0 }
    }

    /// Status of the answer to a request on a new connection. Nil without an answer.
    func ask(_ path: String) async -> Int? {
        await Self.exchange(port, "GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").flatMap {
            Int($0.dropFirst(9).prefix(3))
        }
    }

    private static func exchange(_ port: Int, _ request: String) async -> String? {
        await onThread {
            guard let connection = try? RawConnection(port: port) else { return nil }
            connection.send(Array(request.utf8))
            connection.receive { _ in false }
            return connection.hasEnded && connection.text.hasPrefix("HTTP/1.1 ") ? connection.text : nil
        }
    }

    /// Sends many requests over a few connections, and returns the number of 200 answers.
    func askMany(_ count: Int, path: String) async -> Int {
        let clients = 4
        return await withTaskGroup(of: Int.self) { group in
            for _ in 0..<clients {
                group.addTask { [port] in await onThread { Self.askInRow(count / clients, path, port) } }
            }
            return await group.reduce(0, +)
        }
    }

    private static func askInRow(_ count: Int, _ path: String, _ port: Int) -> Int {
        guard let connection = try? RawConnection(port: port) else { return 0 }
        let request = Array("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        for number in 0..<count {
            connection.forgetReceived()
            connection.send(request)
            connection.receive { $0.hasSuffix("}") }
            guard connection.statuses == [200], connection.text.hasSuffix("}") else { return number }
        }
        return count
    }
}
