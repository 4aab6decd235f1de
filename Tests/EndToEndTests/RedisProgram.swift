import Foundation

/// Debian's Redis server, without persistence.
final class RedisProgram {
    static let path = "/usr/bin/redis-server"
    static var isThere: Bool { FileManager.default.isExecutableFile(atPath: path) }

    private let process = Process()

    init(port: Int) throws {
        process.executableURL = URL(fileURLWithPath: Self.path)
        process.arguments = ["--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
    }

    deinit { kill() }

    /// Kills the server at once, like a crash.
    func kill() {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
