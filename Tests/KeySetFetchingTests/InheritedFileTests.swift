import Foundation
import TestSupport
import Testing

@testable import KeySetFetching

/// A file that outlives processes, the last of which may have crashed during a write.
struct InheritedFileTests {
    private static let limit = 4096

    /// A named file instead of the inherited one without a name.
    private final class Backing {
        private let folder: TemporaryFolder
        private let url: URL
        let handle: FileHandle
        var file: InheritedFile { InheritedFile(descriptor: handle.fileDescriptor, limit: InheritedFileTests.limit) }

        init() throws {
            folder = try TemporaryFolder()
            url = folder.url.appendingPathComponent("file")
            _ = FileManager.default.createFile(atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
            handle = try FileHandle(forUpdating: url)
        }

        var bytes: [UInt8] {
            get { Array((try? Data(contentsOf: url)) ?? Data()) }
            set { try? Data(newValue).write(to: url, options: []) }
        }
    }

    private static func text(_ number: Int, count: Int = 1000) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: count)
    }

    @Test func `a new inherited file is empty, and later has the text last written`() async throws {
        let backing = try Backing()
        #expect(try await backing.file.read() == nil)
        for number in 1...5 {
            try await backing.file.write(Self.text(number, count: 1000 - 100 * number))
            #expect(try await backing.file.read() == Self.text(number, count: 1000 - 100 * number))
        }
        try await backing.file.write([])
        #expect(try await backing.file.read() == [])
    }

    @Test func `a text of the maximum length is written, and one byte more is refused`() async throws {
        let backing = try Backing()
        try await backing.file.write(Self.text(1, count: Self.limit))
        try await backing.file.write(Self.text(2, count: Self.limit))
        #expect(try await backing.file.read() == Self.text(2, count: Self.limit))
        await #expect(throws: StateFileFailure.tooLarge) {
            try await backing.file.write(Self.text(3, count: Self.limit + 1))
        }
        #expect(try await backing.file.read() == Self.text(2, count: Self.limit))
    }

    @Test func `a write cut off anywhere leaves the previous text readable`() async throws {
        let backing = try Backing()
        try await backing.file.write(Self.text(1))
        try await backing.file.write(Self.text(2))
        let before = backing.bytes
        try await backing.file.write(Self.text(3))
        let after = backing.bytes
        #expect(try await backing.file.read() == Self.text(3))
        // The third text is written where the first one was.
        for count in 0..<NumberedText.headLength + 1000 {
            backing.handle.truncateFile(atOffset: 0)
            backing.handle.seek(toFileOffset: 0)
            backing.handle.write(Data(after.prefix(count) + before.dropFirst(count)))
            let read = try await backing.file.read()
            #expect(read == Self.text(2), "\(count)")
        }
    }

    @Test func `a completely damaged file is detected, and can be written again`() async throws {
        let backing = try Backing()
        backing.handle.write(Data(Self.text(9, count: 3000)))
        await #expect(throws: StateFileFailure.failed("it is damaged")) { try await backing.file.read() }
        try await backing.file.write(Self.text(1))
        #expect(try await backing.file.read() == Self.text(1))
    }

    @Test func `reads and writes do not depend on the file offset shared by processes`() async throws {
        let backing = try Backing()
        try await backing.file.write(Self.text(1))
        backing.handle.seek(toFileOffset: 77)
        #expect(try await backing.file.read() == Self.text(1))
        #expect(backing.handle.offsetInFile == 77)
    }

    @Test func `a changed byte in the file is detected`() {
        let bytes = NumberedText(Self.text(4, count: 20), number: 7).bytes ?? []
        #expect(NumberedText(reading: bytes) == NumberedText(Self.text(4, count: 20), number: 7))
        #expect(NumberedText(reading: bytes + [1, 2]) == NumberedText(Self.text(4, count: 20), number: 7))
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(NumberedText(reading: changed) == nil, "\(index)")
            #expect(NumberedText(reading: Array(bytes.prefix(index))) == nil)
        }
        #expect(NumberedText(reading: [UInt8](repeating: 255, count: 100)) == nil)
    }
}

struct MachineBootTests {
    @Test func `the current boot has an identity and an uptime`() throws {
        #expect(try #require(MachineBoot.current).identity.utf8.count == 36)
        let first = try #require(MachineBoot.uptime)
        #expect(first > 0 && (MachineBoot.uptime ?? 0) >= first)
    }

    @Test(
        arguments: [
            ("12.34 5.6\n", 12_340), ("0.00 0.00", 0), ("1e300 1", nil), ("-1 2", nil), ("nan 1", nil), ("", nil),
            ("x", nil),
        ]
            as [(String, Int64?)])
    func `the uptime is parsed strictly`(text: String, expected: Int64?) {
        #expect(MachineBoot.uptime(text) == expected)
    }

    @Test func `a malformed boot identity is refused`() {
        #expect(
            MachineBoot("01234567-89ab-cdef-0123-456789abcdef\n")?.identity == "01234567-89ab-cdef-0123-456789abcdef")
        for text in [
            "", "01234567-89ab-cdef-0123-456789abcde", "01234567-89AB-cdef-0123-456789abcdef",
            "01234567\"89ab-cdef-0123-456789abcdef",
        ] {
            #expect(MachineBoot(text) == nil)
        }
    }
}
