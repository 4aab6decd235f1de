import Testing

@testable import ReverseProxy

/// Many requests while upstreams and clients break off at random: no answer may reach the wrong request.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayStressTests {
    @Test func `every answer belongs to its request while connections break at random (T337, F25)`() async throws {
        try await withGateway(GatewaySettings(eventLoops: 2)) { gateway in
            let upstream = Task {
                var random = SystemRandomNumberGenerator()
                while !Task.isCancelled {
                    for index in 0..<gateway.upstream.connectionCount {
                        let peer = try await gateway.upstream.connection(index)
                        while let head = peer.takeThrough("\r\n\r\n") {
                            let nonce = firstLine(head)
                            let answer = Array(
                                "HTTP/1.1 200 OK\r\nContent-Length: \(nonce.utf8.count)\r\n\r\n\(nonce)".utf8)
                            guard random.next() % 20 == 0 else {
                                peer.send(answer)
                                continue
                            }
                            peer.send(Array(answer.prefix(Int(random.next() % UInt64(answer.count)))))
                            peer.close()
                        }
                    }
                    try await Task.sleep(for: .microseconds(100))
                }
            }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for client in 0..<16 { group.addTask { try await self.run(client, gateway) } }
                var answered = 0
                for try await count in group { answered += count }
                #expect(answered > 1000)
            }
            upstream.cancel()
            try await eventually { gateway.gateway.openConnections == 0 && gateway.gateway.requestsInFlight == 0 }
        }
    }

    /// Sends requests one after another and breaks off some. Returns the number of answers from the upstream.
    private func run(_ number: Int, _ gateway: GatewayFixture) async throws -> Int {
        var client = try await gateway.connect()
        var answered = 0
        for request in 0..<150 {
            let target = "/\(number)/\(request)"
            client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
            if Int.random(in: 0..<20) == 0 {
                try? await client.reset()
                client = try await gateway.connect()
                continue
            }
            try await eventually { client.hasEnded || Self.isWhole(client.text) }
            let answer = client.text
            if answer.hasPrefix("HTTP/1.1 200 "), Self.isWhole(answer) {
                #expect(answer.hasSuffix("GET \(target) HTTP/1.1"))
                answered += 1
                _ = client.takeThrough("GET \(target) HTTP/1.1")
            } else if Self.isWhole(answer) {
                #expect(firstLine(answer) == "HTTP/1.1 502 Bad Gateway")
                _ = client.takeThrough("}")
            } else {
                #expect(client.hasEnded)
                client = try await gateway.connect()
            }
        }
        client.close()
        return answered
    }

    /// True if an answer has its complete announced body.
    private static func isWhole(_ answer: String) -> Bool {
        guard let end = answer.firstRange(of: "\r\n\r\n") else { return false }
        let length = values("content-length", in: String(answer[..<end.lowerBound])).first.flatMap { Int($0) }
        return answer[end.upperBound...].utf8.count == length
    }
}
