import Foundation

/// Programs that nobody here wrote, which the gateway must get on with. `make test` installs them where it can.
enum Interop {
    static let python = program("python3")
    static let shell = program("sh")
    static let curl = program("curl")
    static let wrk = program("wrk")
    static let h2load = program("h2load")
    static let nghttp = program("nghttp")

    /// A Python that has joserfc; nil where it could not be installed.
    static let pythonWithJoserfc: URL? = {
        let path = packageDirectory.appendingPathComponent(".build/interop/bin/python")
        return FileManager.default.isExecutableFile(atPath: path.path) ? path : nil
    }()

    /// The same with grpcio, and with websockets.
    static let pythonWithGRPC = python(with: "grpc")
    static let pythonWithWebSockets = python(with: "websockets")

    private static func python(with package: String) -> URL? {
        let places = packageDirectory.appendingPathComponent(".build/interop/lib")
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: places.path)) ?? []
        let isThere = versions.contains { version in
            FileManager.default.fileExists(atPath: places.appendingPathComponent("\(version)/site-packages/\(package)").path)
        }
        return isThere ? pythonWithJoserfc : nil
    }

    static let packageDirectory = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Says loudly that a test did not run.
    static func skip(_ reason: String) {
        FileHandle.standardError.write(Data("\nNOTICE: SKIPPED: \(reason)\n\n".utf8))
    }

    private static func program(_ name: String) -> URL? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":").map { URL(fileURLWithPath: String($0)).appendingPathComponent(name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}
