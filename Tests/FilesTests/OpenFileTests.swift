import Files
import Foundation
import SystemPackage
import TestSupport
import Testing

/// Files that are opened, read and written, and the system's words where that fails.
@Suite final class OpenFileTests {
    private let temporary: TemporaryFolder
    private var folder: URL { temporary.url }
    private var file: String { temporary.path("file") }

    init() throws { temporary = try TemporaryFolder() }

    @Test func `what is written is read again, from any offset`() throws {
        let written = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        let file = try OpenFile(file, .readWrite, [.create, .exclusiveCreate])
        try file.write(written)
        try file.synchronize()
        try file.seek(to: 0)
        #expect(try file.readToEnd(limit: 200_000) == written)
        #expect(try file.read(upTo: 10).isEmpty)
        try file.seek(to: 199_990)
        #expect(try file.read(upTo: 5) == Array(written[199_990..<199_995]))
        #expect(FileManager.default.contents(atPath: self.file).map(Array.init) == written)
    }

    @Test(arguments: [
        (0, 0, true), (0, 1, false), (65_536, 65_536, true), (65_536, 65_537, false), (100_000, 99_999, true),
    ])
    func `a longer file than the limit is none`(_ limit: Int, _ size: Int, _ isRead: Bool) throws {
        try OpenFile(file, .writeOnly, .create).write([UInt8](repeating: 7, count: size))
        #expect(try OpenFile(file, .readOnly).readToEnd(limit: limit)?.count == (isRead ? size : nil))
    }

    @Test func `a file that is made is its owner's alone, and none is made twice`() throws {
        try OpenFile(file, .writeOnly, [.create, .exclusiveCreate]).write([])
        #expect(try Stat(FilePath(file)).permissions == .ownerReadWrite)
        #expect(throws: Errno.fileExists) { try OpenFile(file, .writeOnly, [.create, .exclusiveCreate]) }
    }

    @Test func `what fails is told in the system's words`() {
        let error = #expect(throws: Errno.self) { try OpenFile(file + "/x", .readOnly) }
        #expect(error?.description == "No such file or directory")
        #expect(throws: Errno.isDirectory) { try OpenFile(folder.path, .readOnly).read(upTo: 1) }
        #expect(throws: Errno.badFileDescriptor) { try OpenFile(folder.path, .readOnly, .directory).write([1]) }
    }

    @Test(arguments: [
        (Errno.noSuchFileOrDirectory, "No such file or directory"),
        (.noSpace, "No space left on device (free space there)"),
        (
            .permissionDenied,
            "Permission denied (check owner, mode and the user this runs as; for a connection, the firewall)"
        ),
        (.addressInUse, "Address already in use (`ss -ltnp` names the process)"),
        (.connectionRefused, "Connection refused"),
    ])
    func `a number of the system is told in words, with what to do where an operator can do something`(
        _ error: Errno, _ words: String
    ) {
        #expect(error.words == words)
    }

    @Test func `the descriptor is closed with the last reference`() throws {
        var file: OpenFile? = try OpenFile(file, .writeOnly, .create)
        let descriptor = try #require(file?.descriptor)
        #expect(fcntl(descriptor.rawValue, F_GETFD) == FD_CLOEXEC)
        file = nil
        #expect(fcntl(descriptor.rawValue, F_GETFD) == -1)
    }
}
