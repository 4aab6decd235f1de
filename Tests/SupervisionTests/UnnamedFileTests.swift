import Foundation
import Glibc
import TestSupport
import Testing

@testable import Supervision

/// The unnamed file that workers inherit from each other.
struct UnnamedFileTests {
    @Test func `a worker inherits the unnamed file besides its sockets and pipes`() throws {
        let descriptor = try UnnamedFile.make(besides: 3)
        defer { close(descriptor) }
        #expect(descriptor >= 8)
        #expect(UnnamedFile.inherited("\(descriptor)") == descriptor)
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC == 0)
        let child = try ChildProcess.start(
            "/bin/sh", ["-c", "echo left > /proc/self/fd/\(descriptor)"], sockets: [0, 1, 2], environment: [:])
        defer { child.closePipes() }
        var status: CInt = 0
        #expect(unsafe waitpid(child.pid, &status, 0) == child.pid && status == 0)
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/fd/\(descriptor)"))
        #expect(try file.readToEnd() == Data("left\n".utf8))
    }

    @Test func `a descriptor of any other file is refused`() throws {
        for number in ["", "x", "-1", "0", "2", "999999", "99999999999999999999"] {
            #expect(UnnamedFile.inherited(number) == nil)
        }
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let url = folder.url.appendingPathComponent("named")
        _ = FileManager.default.createFile(atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o640])
        let readable = try FileHandle(forUpdating: url)
        #expect(UnnamedFile.inherited("\(readable.fileDescriptor)") == nil)
        let pipe = Pipe()
        #expect(UnnamedFile.inherited("\(pipe.fileHandleForReading.fileDescriptor)") == nil)
    }
}
