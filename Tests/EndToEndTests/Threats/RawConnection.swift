import Foundation
import Glibc

/// A client's connection that sends the bytes of a test as they are, and reads until the test has what it needs.
final class RawConnection {
    private let descriptor: Int32
    private(set) var received: [UInt8] = []
    private(set) var hasEnded = false

    struct NotConnected: Error {}

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let isConnected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        // The descriptor is closed by the object, which is already initialized. A second close might hit another
        // socket.
        guard isConnected else { throw NotConnected() }
    }

    deinit { Glibc.close(descriptor) }

    /// Sends as much as the peer takes. A peer that has closed is no error, since its answer may have arrived.
    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends what the socket takes without blocking, and returns the number of bytes.
    @discardableResult func sendSome(_ bytes: [UInt8]) -> Int {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        return bytes.count - rest.count
    }

    /// True if the peer has closed the connection and nothing is left to read. Does not wait.
    var isClosedByPeer: Bool {
        var byte: UInt8 = 0
        let count = unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count == 0 || (count < 0 && errno != EAGAIN)
    }

    /// Makes the close a reset.
    func resetsWhenClosed() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }

    func halfClose() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads until the condition holds, the peer closes, or the time is over.
    func receive(atMost limit: Duration = .seconds(5), until condition: (String) -> Bool) {
        receiveBytes(atMost: limit) { bytes in condition(String(decoding: bytes, as: UTF8.self)) }
    }

    /// Like ``receive(atMost:until:)``, with a condition on bytes, for large amounts.
    func receiveBytes(atMost limit: Duration, until condition: ([UInt8]) -> Bool) {
        let end = ContinuousClock.now + limit
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !hasEnded, !condition(received), ContinuousClock.now < end { receiveSome(into: &buffer) }
    }

    /// Reads bytes that arrive within 50 ms.
    private func receiveSome(into buffer: inout [UInt8]) {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&waiting, 1, 50) > 0 else { return }
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { received.append(contentsOf: buffer[..<count]) }
        // A reset may follow a complete answer, when the gateway discards unsolicited bytes.
        if count <= 0 { hasEnded = true }
    }

    /// Forgets the bytes received so far, after a response was read.
    func forgetReceived() {
        received.removeAll(keepingCapacity: true)
    }

    var text: String { String(decoding: received, as: UTF8.self) }

    /// The statuses of the final responses so far, in order.
    var statuses: [Int] {
        text.components(separatedBy: "HTTP/1.1 ").dropFirst().compactMap { Int($0.prefix(3)) }.filter { $0 >= 200 }
    }
}
