import Foundation
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import ReverseProxy

@Suite(.serialized)
struct ListeningSocketTests {
    @Test func `binding port 0 takes a free port and reports it`() throws {
        let socket = try ListeningSocket(binding: "127.0.0.1:0")
        defer { socket.close() }
        #expect(socket.address.hasPrefix("127.0.0.1:") && !socket.address.hasSuffix(":0"))
    }

    @Test func `an address in use is a distinct error`() throws {
        let socket = try ListeningSocket(binding: "127.0.0.1:0")
        defer { socket.close() }
        #expect(throws: ListeningSocketFailure.addressInUse(socket.address)) {
            try ListeningSocket(binding: socket.address)
        }
    }

    @Test func `an address of another machine is a distinct error`() {
        #expect(throws: ListeningSocketFailure.addressNotHere("192.0.2.1:1")) {
            try ListeningSocket(binding: "192.0.2.1:1")
        }
    }

    @Test func `a missing permission for a low port is reported with its remedies`() {
        #expect(
            "\(ListeningSocketFailure.notPermitted("0.0.0.0:80"))"
                == "not permitted to listen on 0.0.0.0:80; for a port below 1024 have systemd open the socket, grant CAP_NET_BIND_SERVICE, "
                + "or lower net.ipv4.ip_unprivileged_port_start")
    }

    @Test(arguments: [
        "", "8080", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "::1:80", "[::1]", "[]:80",
        "a b:80",
    ])
    func `a text that is not an address with a port is refused`(text: String) {
        #expect(throws: ListeningSocketFailure.notAnAddress(text)) { try ListeningSocket(binding: text) }
    }

    /// Maximum of pending connections of a listening socket, as the kernel reports it (`tcpi_sacked` in its
    /// `tcp_info`).
    private static func backlog(of socket: ListeningSocket) throws -> UInt32 {
        var info = [UInt32](repeating: 0, count: 16)
        var byteCount = socklen_t(info.count * 4)
        let status = unsafe getsockopt(socket.descriptor, CInt(IPPROTO_TCP), TCP_INFO, &info, &byteCount)
        try #require(status == 0 && byteCount == 64)
        return info[7]
    }

    @Test func `a socket that was handed over is adopted and serves`() async throws {
        let original = try ListeningSocket(binding: "127.0.0.1:0")
        let environment = ["LISTEN_FDS": "1", "LISTEN_PID": String(getpid())]
        let sockets = try ListeningSocket.adopted(from: environment, first: original.descriptor)
        #expect(sockets == [original])
        let upstream = try await RawUpstream.start()
        let log = try AccessLog(.none, logger: .init(label: "test"))
        let configuration = try GatewaySettings().configuration(for: [upstream.target])
        let gateway = Gateway(
            configuration, eventLoops: 1, listeners: sockets.map { Listener($0) }, accessLog: log,
            logger: .init(label: "test"))
        try await gateway.start()
        #expect(try Self.backlog(of: original) == 4096)
        let client = try await RawPeer.connect(to: original.address)
        client.send("GET /private HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(firstLine(try await client.receive(through: "}")) == "HTTP/1.1 401 Unauthorized")
        await gateway.drain()
        try await upstream.stop()
    }

    @Test func `no socket is adopted without LISTEN_FDS, or for another process`() throws {
        #expect(try ListeningSocket.adopted(from: [:]) == [])
        #expect(try ListeningSocket.adopted(from: ["LISTEN_FDS": "1", "LISTEN_PID": "1"]) == [])
        #expect(try ListeningSocket.adopted(from: ["LISTEN_FDS": "0"]) == [])
        #expect(throws: ListeningSocketFailure.malformedCount("x")) {
            try ListeningSocket.adopted(from: ["LISTEN_FDS": "x"])
        }
    }

    @Test func `only listening stream sockets are adopted`() async throws {
        let file = try #require(FileHandle(forReadingAtPath: "/dev/null"))
        #expect(throws: ListeningSocketFailure.notAStreamSocket(descriptor: file.fileDescriptor)) {
            try ListeningSocket(adopting: file.fileDescriptor)
        }
        #expect(throws: ListeningSocketFailure.notAStreamSocket(descriptor: 1_000_000)) {
            try ListeningSocket(adopting: 1_000_000)
        }
        let datagram = try bindDatagramSocket()
        defer { close(datagram) }
        #expect(throws: ListeningSocketFailure.notAStreamSocket(descriptor: datagram)) {
            try ListeningSocket(adopting: datagram)
        }
        let idle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(idle) }
        #expect(throws: ListeningSocketFailure.notListening(descriptor: idle)) { try ListeningSocket(adopting: idle) }
    }

    private func bindDatagramSocket() throws -> CInt {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        try #require(descriptor >= 0)
        return descriptor
    }
}
