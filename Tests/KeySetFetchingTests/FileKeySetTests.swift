import Foundation
import JOSE
import KeySetFetching
import KeySets
import TestSupport
import Testing

@Suite struct FileKeySetTests {
    private func keyIDs(_ set: RemoteKeySet) -> [String] {
        set.store.snapshot().keys?.keys.compactMap(\.keyID) ?? []
    }

    private func started(_ path: String) async -> RemoteKeySet {
        let set = RemoteKeySet(
            SampleDocuments.configuration(.file(path: path)), proxies: .none, logger: SampleDocuments.silentLogger)
        await set.start()
        await set.firstFetchEnded()
        return set
    }

    @Test func `a key file is read at the start, and again when it is replaced`() async throws {
        let directory = try TemporaryFolder()
        defer { withExtendedLifetime(directory) {} }
        try directory.write(SampleDocuments.keySet("a"), to: "keys.json")
        let set = await started(directory.path("keys.json"))
        #expect(keyIDs(set) == ["a"])
        try directory.write(SampleDocuments.keySet("a", "b"), to: "keys.json")
        #expect(await eventually { keyIDs(set) == ["a", "b"] })
        await set.stop()
    }

    @Test func `a reload reads the key file at once`() async throws {
        let directory = try TemporaryFolder()
        defer { withExtendedLifetime(directory) {} }
        try directory.write(SampleDocuments.keySet("a"), to: "keys.json")
        let set = await started(directory.path("keys.json"))
        try directory.write(SampleDocuments.keySet("b"), to: "keys.json")
        await set.reload()
        #expect(await eventually(within: .milliseconds(900)) { keyIDs(set) == ["b"] })
        await set.stop()
    }

    @Test func `a broken new key file is reported and the old keys stay, until a good file comes`() async throws {
        let directory = try TemporaryFolder()
        defer { withExtendedLifetime(directory) {} }
        let path = directory.path("keys.json")
        try directory.write(SampleDocuments.keySet("a"), to: "keys.json")
        let set = await started(path)
        try directory.write("{}", to: "keys.json")
        await set.reload()
        #expect(await eventually { await set.status.lastFailure == .keySetRefused(source: path, .noKeysMember) })
        #expect(keyIDs(set) == ["a"])
        try directory.write(SampleDocuments.keySet("b"), to: "keys.json")
        #expect(await eventually { keyIDs(set) == ["b"] })
        #expect(await set.status.lastFailure == nil)
        await set.stop()
    }

    @Test func `a key file that is deleted leaves the old keys in use`() async throws {
        let directory = try TemporaryFolder()
        defer { withExtendedLifetime(directory) {} }
        let path = directory.path("keys.json")
        try directory.write(SampleDocuments.keySet("a"), to: "keys.json")
        let set = await started(path)
        try FileManager.default.removeItem(atPath: path)
        #expect(
            await eventually {
                await set.status.lastFailure == .fileUnreadable(path: path, reason: "there is no such file")
            })
        #expect(keyIDs(set) == ["a"])
        await set.stop()
    }

    @Test func `a symbolic link set to another key file counts as a change`() async throws {
        let directory = try TemporaryFolder()
        defer { withExtendedLifetime(directory) {} }
        let path = directory.path("keys.json")
        try directory.write(SampleDocuments.keySet("a"), to: "one.json")
        try directory.write(SampleDocuments.keySet("b"), to: "two.json")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: directory.path("one.json"))
        let set = await started(path)
        #expect(keyIDs(set) == ["a"])
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: directory.path("two.json"))
        #expect(await eventually { keyIDs(set) == ["b"] })
        await set.stop()
    }

    @Test func `a key file that is no regular file, or too large, is refused`() async throws {
        let directory = try TemporaryFolder()
        defer { withExtendedLifetime(directory) {} }
        await #expect(
            throws: KeySetFetchFailure.fileUnreadable(path: directory.url.path, reason: "it is not a regular file")
        ) {
            try await SampleDocuments.load(SampleDocuments.configuration(.file(path: directory.url.path)))
        }
        await #expect(throws: KeySetFetchFailure.fileUnreadable(path: "/dev/zero", reason: "it is not a regular file"))
        {
            try await SampleDocuments.load(SampleDocuments.configuration(.file(path: "/dev/zero")))
        }
        let path = directory.path("large.json")
        try directory.write(String(repeating: " ", count: 256 * 1024 + 1), to: "large.json")
        await #expect(throws: KeySetFetchFailure.tooLarge(source: path, limit: 256 * 1024)) {
            try await SampleDocuments.load(SampleDocuments.configuration(.file(path: path)))
        }
    }
}
