import Foundation
import TestSupport
import Testing

/// An upstream in a separate process that is killed and restarted repeatedly.
@Suite(.serialized) final class UpstreamRestartTests {
    /// Script that answers with the requested path and prints each request on its standard output.
    private static let upstream = """
        import http.server, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def answer(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                print(self.command, self.path, flush=True)
                body = self.path.encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            do_GET = do_POST = answer
            def log_message(self, *_): pass
        http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
        """

    private struct Seen: Sendable {
        var good = 0
        var failed = 0
        var wrong: [String] = []
    }

    private static func load(_ port: Int, _ client: Int, until stop: StopSign) async -> Seen {
        await onThread {
            var (seen, number) = (Seen(), 0)
            while !stop.isRaised {
                guard let connection = try? RawConnection(port: port) else { continue }
                for _ in 0..<50 where !stop.isRaised && !connection.hasEnded {
                    number += 1
                    let path = "/\(client)-\(number)"
                    let line =
                        number.isMultiple(of: 2) ? "POST \(path) HTTP/1.1\r\nContent-Length: 4" : "GET \(path) HTTP/1.1"
                    connection.forgetReceived()
                    connection.send(Array("\(line)\r\nHost: a\r\n\r\n\(number.isMultiple(of: 2) ? "body" : "")".utf8))
                    connection.receive { text in
                        text.hasPrefix("HTTP/1.1 ") && (text.hasSuffix(path) || text.hasSuffix("}"))
                    }
                    switch connection.statuses {
                    case [200] where connection.text.hasSuffix("\r\n\r\n" + path): seen.good += 1
                    // The upstream crashed before the end of the answer, so the connection was closed.
                    case [200] where connection.hasEnded && connection.text.hasSuffix("\r\n\r\n"): seen.failed += 1
                    case [502], [504], []: seen.failed += 1
                    default: seen.wrong.append("\(path): \(connection.text.suffix(200))")
                    }
                }
            }
            return seen
        }
    }

    @Test(.slow, .enabled(if: Interop.python != nil, "python3 is not installed"))
    func `F23 a restarting upstream never gets an unrepeatable request twice, and no answer goes to another request`()
        async throws
    {
        let python = try #require(Interop.python)
        let port = try FreePort.find()
        let served = try await ServedFile.start(
            """
            listen: 127.0.0.1:0
            admin: 127.0.0.1:0
            event_loops: 1
            access_log: none
            issuers: {}
            resources: {open: {at: [/], upstream: "http://127.0.0.1:\(port)", rules: {ANY /**: {public: true}}}}
            """)
        let stop = StopSign()
        async let seen = withTaskGroup(of: Seen.self) { group in
            let gateway = served.port
            for client in 0..<4 { group.addTask { await Self.load(gateway, client, until: stop) } }
            return await group.reduce(Seen()) {
                Seen(good: $0.good + $1.good, failed: $0.failed + $1.failed, wrong: $0.wrong + $1.wrong)
            }
        }
        var asked: [String] = []
        for _ in 0..<20 {
            let upstream = try BearwardProcess(program: python, ["-c", Self.upstream, "\(port)"])
            func heard() -> [String] { upstream.standardOutput.split(separator: "\n").map(String.init) }
            #expect(await BearwardProcess.wait { heard().count > 20 }, "\(heard().count) requests came")
            upstream.signal(SIGKILL)
            _ = await upstream.exitStatus()
            asked += heard()
        }
        let last = try BearwardProcess(program: python, ["-c", Self.upstream, "\(port)"])
        #expect(await BearwardProcess.wait { (try? await served.ask("/last", token: nil).status) == 200 })
        stop.raise()
        let all = await seen
        asked += last.standardOutput.split(separator: "\n").map(String.init)
        #expect(all.wrong.isEmpty, "\(all.wrong.prefix(5))")
        #expect(all.good > 100 && all.failed > 0, "\(all.good) good, \(all.failed) failed")
        let posts = asked.filter { $0.hasPrefix("POST ") }
        #expect(posts.count > 20)
        #expect(Set(posts).count == posts.count, "a POST came twice")
        await served.stop()
    }
}
