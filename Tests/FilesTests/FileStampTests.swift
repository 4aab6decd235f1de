import Files
import Foundation
import TestSupport
import Testing

/// A touched file has another stamp, however it was touched.
@Suite struct FileStampTests {
    private final class Place: Sendable {
        private let temporary: TemporaryFolder
        var folder: URL { temporary.url }
        var file: String { temporary.path("file") }

        init() throws {
            temporary = try TemporaryFolder()
            try write("one")
        }

        func write(_ text: String, atomically: Bool = false) throws {
            try text.write(toFile: file, atomically: atomically, encoding: .utf8)
        }

        func look(_ path: String? = nil) throws -> FileStamp {
            let stamp = FileStamp(path ?? file)
            return try #require(stamp)
        }

        func setModified(_ seconds: Double) throws {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: file)
        }
    }

    @Test func `an untouched file has the same stamp`() throws {
        let place = try Place()
        #expect(try place.look() == FileStamp(place.file))
        #expect(try place.look().isRegularFile)
        #expect(try place.look(place.folder.path).isRegularFile == false)
        #expect(FileStamp(place.file + "x") == nil)
    }

    @Test func `a write that keeps size and modification time changes the stamp`() throws {
        let place = try Place()
        try place.setModified(1_790_000_000)
        let before = try place.look()
        // The file system's clock ticks every few milliseconds.
        let end = ContinuousClock.now + .seconds(10)
        repeat {
            try place.write("two")
            try place.setModified(1_790_000_000)
        } while FileStamp(place.file) == before && ContinuousClock.now < end
        #expect(try place.look() != before)
    }

    @Test func `a replaced file changes the stamp, and so does a symbolic link set to another file`() throws {
        let place = try Place()
        let link = place.folder.appendingPathComponent("link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: place.file)
        let before = try place.look(link)
        #expect(before == FileStamp(place.file))
        let other = place.folder.appendingPathComponent("other").path
        try FileManager.default.copyItem(atPath: place.file, toPath: other)
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: other)
        #expect(try place.look(link) != before)
        let replaced = try place.look()
        try place.write("one", atomically: true)
        #expect(try place.look() != replaced)
    }
}
