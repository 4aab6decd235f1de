import Files
import Foundation
import SystemPackage
import TestSupport
import Testing

/// Opening, reading and writing of files, and the system's words for failures.
@Suite final class OpenFileTests {
    private let temporary: TemporaryFolder
    private var folder: URL { temporary.url }
    private var file: String { temporary.path("file") }

    init() throws { temporary = try TemporaryFolder() }

    @Test func `written bytes are read back, from any offset`() throws {
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
    func `a file longer than the limit is not read`(_ limit: Int, _ size: Int, _ isRead: Bool) throws {
        try OpenFile(file, .writeOnly, .create).write([UInt8](repeating: 7, count: size))
        #expect(try OpenFile(file, .readOnly).readToEnd(limit: limit)?.count == (isRead ? size : nil))
    }

    @Test func `a created file is accessible to its owner only, and an existing file is not created again`() throws {
        try OpenFile(file, .writeOnly, [.create, .exclusiveCreate]).write([])
        #expect(try Stat(FilePath(file)).permissions == .ownerReadWrite)
        #expect(throws: Errno.fileExists) { try OpenFile(file, .writeOnly, [.create, .exclusiveCreate]) }
    }

    @Test func `a failed call is described in the system's words`() {
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
    func `an errno is described in words, with advice if the operator can fix it`(
        _ error: Errno, _ words: String
    ) {
        #expect(error.words == words)
    }

    @Test func `the file descriptor is closed with the last reference`() throws {
        var file: OpenFile? = try OpenFile(file, .writeOnly, .create)
        let descriptor = try #require(file?.descriptor)
        #expect(fcntl(descriptor.rawValue, F_GETFD) == FD_CLOEXEC)
        file = nil
        #expect(fcntl(descriptor.rawValue, F_GETFD) == -1)
    }
}
