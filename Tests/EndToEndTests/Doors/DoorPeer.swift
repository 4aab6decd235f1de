import Foundation
import TestSupport
import Testing

/// A proxy that asks Bearward at a door, with the configuration shipped for it.
enum DoorPeer: String, CaseIterable, CustomTestStringConvertible {
    case nginx
    case currentNginx
    case caddy
    case haproxy
    case envoy
    /// Envoy with gRPC messages.
    case envoyGRPC
    case traefik

    var testDescription: String { rawValue }

    /// The kind of door that the proxy asks at.
    var door: String {
        switch self {
        case .nginx, .currentNginx: "nginx"
        case .caddy: "caddy"
        case .haproxy: "haproxy"
        case .envoy: "envoy-http"
        case .envoyGRPC: "envoy-grpc"
        case .traefik: "traefik"
        }
    }

    var program: URL? {
        switch self {
        case .nginx: Interop.nginx
        case .currentNginx: Interop.currentNginx
        case .caddy: Interop.caddy
        case .haproxy: Interop.haproxy
        case .envoy, .envoyGRPC: Interop.envoy
        case .traefik: Interop.traefik
        }
    }

    /// The proxies that are installed.
    static let installed = allCases.filter { $0.program != nil && Interop.python != nil }

    /// A running proxy.
    final class Running: Sendable {
        let port: Int
        let process: BearwardProcess
        private let endSignal: Int32
        private let folder: TemporaryFolder

        init(port: Int, process: BearwardProcess, endSignal: Int32, folder: TemporaryFolder) {
            self.endSignal = endSignal
            self.port = port
            self.process = process
            self.folder = folder
        }

        func stop() async {
            process.signal(endSignal)
            _ = await process.exitStatus()
        }
    }

    /// Starts the proxy with the shipped files. Only addresses, paths and the timeout of a question are changed.
    ///
    /// - Parameters:
    ///   - door: the port of the door.
    ///   - upstream: address of the upstream, as `host:port`.
    ///   - changing: further changes that a test makes.
    ///   - instead: texts used in place of the shipped files with these names.
    func start(
        door: Int, upstream: String, metadata: Int = 1, changing: [String: String] = [:],
        instead: [String: String] = [:]
    ) async throws -> Running {
        let port = try FreePort.find()
        let folder = try TemporaryFolder()
        let directory = folder.url
        let process: BearwardProcess
        let program = try #require(program)
        switch self {
        case .nginx, .currentNginx:
            let changes = [
                "127.0.0.1:9191": "127.0.0.1:\(door)", "127.0.0.1:9000": upstream,
                "listen 8080": "listen 127.0.0.1:\(port)",
                "/run/nginx.pid": "\(directory.path)/pid", "/var/log/nginx/error.log": "\(directory.path)/error.log",
                "worker_processes auto": "worker_processes 1", "proxy_read_timeout 10s": "proxy_read_timeout 2s",
            ]
            try copy(
                ["nginx.conf", "bearward.conf", "bearward-http.conf"], of: "nginx", to: directory, changes, changing,
                instead)
            let path = directory.appendingPathComponent("nginx.conf").path
            process = try BearwardProcess(
                program: program,
                ["-p", directory.path, "-e", "\(directory.path)/error.log", "-c", path, "-g", "daemon off;"])
        case .caddy:
            let changes = [
                "127.0.0.1:9192": "127.0.0.1:\(door)", "127.0.0.1:9000": upstream, ":8080 {": "http://:\(port) {",
                "127.0.0.1:8081": "127.0.0.1:\(metadata)", "response_header_timeout 10s": "response_header_timeout 2s",
            ]
            try copy(["Caddyfile"], of: "caddy", to: directory, changes, changing)
            process = try BearwardProcess(
                program: program,
                ["run", "--config", directory.appendingPathComponent("Caddyfile").path, "--adapter", "caddyfile"],
                environment: [
                    "HOME": directory.path, "XDG_DATA_HOME": directory.path, "XDG_CONFIG_HOME": directory.path,
                ])
        case .haproxy:
            let changes = [
                "127.0.0.1:9193": "127.0.0.1:\(door)", "127.0.0.1:9000": upstream,
                "bind :8080": "bind 127.0.0.1:\(port)",
                "lua-load-per-thread bearward.lua": "lua-load-per-thread \(directory.path)/bearward.lua",
                "BEARWARD_TIMEOUT 2500": "BEARWARD_TIMEOUT 500",
            ]
            try copy(["haproxy.cfg"], of: "haproxy", to: directory, changes, changing)
            try copy(["bearward.lua"], of: "haproxy", to: directory, [:])
            process = try BearwardProcess(
                program: program, ["-db", "-f", directory.appendingPathComponent("haproxy.cfg").path])
        case .envoy, .envoyGRPC:
            let file = self == .envoy ? "envoy.yaml" : "envoy-grpc.yaml"
            let changes = [
                "127.0.0.1, port_value: 9194": "127.0.0.1, port_value: \(door)",
                "http://127.0.0.1:9194": "http://127.0.0.1:\(door)",
                "127.0.0.1, port_value: 9195": "127.0.0.1, port_value: \(door)",
                "port_value: 9000": "port_value: \(upstream.split(separator: ":").last ?? "")",
                "timeout: 10s": "timeout: 2s",
                "0.0.0.0, port_value: 8080": "127.0.0.1, port_value: \(port)",
                "127.0.0.1, port_value: 9900": "127.0.0.1, port_value: 0",
            ]
            try copy([file], of: "envoy", to: directory, changes, changing)
            let path = directory.appendingPathComponent(file).path
            process = try BearwardProcess(
                program: program, ["-c", path, "--concurrency", "1", "--use-dynamic-base-id", "--log-level", "error"])
        case .traefik:
            let changes = [
                "127.0.0.1:9192": "127.0.0.1:\(door)", "127.0.0.1:9000": upstream, "\":8080\"": "127.0.0.1:\(port)",
                "127.0.0.1:8081": "127.0.0.1:\(metadata)",
                "/etc/traefik/dynamic.yaml": "\(directory.path)/dynamic.yaml",
            ]
            try copy(["traefik.yaml", "dynamic.yaml"], of: "traefik", to: directory, changes, changing, instead)
            process = try BearwardProcess(
                program: program, ["--configFile=\(directory.appendingPathComponent("traefik.yaml").path)"])
        }
        let isUp = await BearwardProcess.wait { isServing(at: port) || !process.process.isRunning }
        guard isUp, process.process.isRunning else { throw FixtureFailure.notReady(process.standardError) }
        // nginx has child processes to stop; the other proxies may take their time to close connections.
        let isNginx = self == .nginx || self == .currentNginx
        return Running(port: port, process: process, endSignal: isNginx ? SIGTERM : SIGKILL, folder: folder)
    }

    /// True if connections are accepted and the whole configuration is in force.
    private func isServing(at port: Int) -> Bool {
        guard let connection = try? RawConnection(port: port) else { return false }
        guard self == .traefik else { return true }
        // Traefik accepts connections before it has read its routes. This path asks no door.
        let path = "/.well-known/oauth-protected-resource/ready"
        connection.send(Array("GET \(path) HTTP/1.1\r\nHost: lab.example\r\nConnection: close\r\n\r\n".utf8))
        connection.receive { _ in false }
        return !connection.text.contains("404 page not found")
    }

    private func copy(
        _ names: [String], of gateway: String, to directory: URL, _ changes: [String: String],
        _ more: [String: String] = [:],
        _ instead: [String: String] = [:]
    ) throws {
        let source = Interop.packageDirectory.appendingPathComponent("deploy/gateways/\(gateway)")
        for name in names {
            var text = try instead[name] ?? String(contentsOf: source.appendingPathComponent(name), encoding: .utf8)
            for (written, used) in Array(changes) + Array(more) {
                text = text.replacingOccurrences(of: written, with: used)
            }
            try text.write(to: directory.appendingPathComponent(name), atomically: true, encoding: .utf8)
        }
    }
}
