import Foundation
import JOSE
import KeySets
import NIOHTTP1
import TestSupport
import Testing
import TokenVerification

@testable import KeySetFetching

@Suite struct KeySetDirectoryTests {
    private let ignored = "Saved key set ignored"
    private let unsaved = "Key set could not be saved"
    private let unusable = "The state directory cannot be used; key sets are neither saved nor restored"

    private func keyIDs(_ set: RemoteKeySet) -> [String] {
        set.store.snapshot().keys?.keys.compactMap(\.keyID).sorted() ?? []
    }

    private func withFixture(_ body: (KeyServer, SavedSetFixture) async throws -> Void) async throws {
        try await KeyServer.running { server in
            try await body(server, SavedSetFixture(server))
        }
    }

    // MARK: Saving

    @Test func `a fetched key set is saved readable for this user only, in a directory created for it`() async throws {
        try await withFixture { server, fixture in
            server.answer(with: .json(SampleDocuments.keySet("a")))
            let set = fixture.keySet()
            await set.start()
            #expect(await eventually { fixture.mode(of: fixture.file) == 0o600 })
            #expect(fixture.mode(of: fixture.directory.path) == 0o700)
            let names = try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path)
            #expect(names == [fixture.configuration.identity.fileName])
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: fixture.file)))
            let saved = try SavedKeySet(parsing: bytes.span, for: fixture.configuration, at: SavedSetFixture.past(0))
            #expect(saved.document.keys.compactMap(\.keyID) == ["a"])
            #expect(await set.status.lastSuccess == saved.fetchedAt)
            await set.stop()
        }
    }

    @Test func `every response that confirms the key set is saved, also one without changes`() async throws {
        try await withFixture { server, fixture in
            server.answer(with: .json(SampleDocuments.keySet("a")).tagged(#""v1""#))
            let set = fixture.keySet()
            await set.start()
            #expect(await eventually { fixture.mode(of: fixture.file) != nil })
            let first = try Data(contentsOf: URL(fileURLWithPath: fixture.file))
            #expect(await set.answer(keyID: "b") == .confirmedUnknown)
            #expect(await set.status.counters.notModified == 1)
            #expect(await eventually { (try? Data(contentsOf: URL(fileURLWithPath: fixture.file))) != first })
            await set.stop()
        }
    }

    @Test func `a failed fetch leaves the saved key set unchanged`() async throws {
        try await withFixture { server, fixture in
            try fixture.leave("a", secondsAgo: 100)
            let before = try Data(contentsOf: URL(fileURLWithPath: fixture.file))
            server.answer(with: .json("{}"))
            let set = fixture.keySet()
            await set.start()
            #expect(await eventually { await set.status.counters.fetchFailures > 0 })
            #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.file)) == before)
            await set.stop()
        }
    }

    @Test func `a saved key set that cannot be written causes only a warning`() async throws {
        try await withFixture { server, fixture in
            try FileManager.default.createDirectory(
                atPath: fixture.file, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            server.answer(with: .json(SampleDocuments.keySet("a")))
            let set = fixture.keySet()
            await set.start()
            #expect(await set.answer(keyID: "a") == .keysChanged)
            #expect(await eventually { fixture.log.count(of: "Key set could not be saved") == 1 })
            #expect(fixture.log.error(of: ignored) == "it is not a regular file")
            #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path).count == 1)
            await set.stop()
        }
    }

    @Test func `the reason why a key set cannot be saved is logged once, until it changes`() async throws {
        try await withFixture { _, fixture in
            let saved = SavedKeySet(
                document: try SampleDocuments.keys(["a"]), fetchedAt: SavedSetFixture.past(0), kept: [])
            func save() async { await fixture.directory.save(saved, for: fixture.configuration, fixture.log.logger) }
            try FileManager.default.createDirectory(
                atPath: fixture.file, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            await save()
            await save()
            #expect(fixture.log.count(of: unsaved) == 1)
            #expect(fixture.log.error(of: unsaved) == "Is a directory")
            try FileManager.default.removeItem(atPath: fixture.file)
            await save()
            #expect(fixture.mode(of: fixture.file) == 0o600)
            try FileManager.default.removeItem(atPath: fixture.file)
            try FileManager.default.createDirectory(atPath: fixture.file, withIntermediateDirectories: true)
            await save()
            #expect(fixture.log.count(of: unsaved) == 2)
        }
    }

    @Test func `the same problem with several files is logged once`() async throws {
        try await withFixture { _, fixture in
            let saved = SavedKeySet(
                document: try SampleDocuments.keys(["a"]), fetchedAt: SavedSetFixture.past(0), kept: [])
            for host in ["a.example", "b.example"] {
                let configuration = SampleDocuments.configuration(.jwkSetURL("https://\(host)/keys"))
                let file = "\(fixture.directory.path)/\(configuration.identity.fileName ?? "")"
                try FileManager.default.createDirectory(
                    atPath: file, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                await fixture.directory.save(saved, for: configuration, fixture.log.logger)
            }
            #expect(fixture.log.count(of: unsaved) == 1)
        }
    }

    @Test func `temporary files left by crashes are harmless and do not accumulate`() async throws {
        try await withFixture { server, fixture in
            try fixture.leave("a", secondsAgo: 100)
            for slot in 0..<16 { try Data().write(to: URL(fileURLWithPath: "\(fixture.file).\(slot).new")) }
            let before = try Data(contentsOf: URL(fileURLWithPath: fixture.file))
            server.answer(with: .json(SampleDocuments.keySet("a")))
            let set = fixture.keySet()
            await set.start()
            #expect(await eventually { (try? Data(contentsOf: URL(fileURLWithPath: fixture.file))) != before })
            #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path).count == 16)
            #expect(fixture.log.count(of: "Key set could not be saved") == 0)
            await set.stop()
        }
    }

    @Test func `a key set from a file is neither saved nor restored`() async throws {
        let directory = try TemporaryFolder()
        defer { withExtendedLifetime(directory) {} }
        try directory.write(SampleDocuments.keySet("a"), to: "keys.json")
        let state = KeySetDirectory(path: directory.path("state"))
        let configuration = SampleDocuments.configuration(.file(path: directory.path("keys.json")))
        let set = RemoteKeySet(configuration, directory: state, proxies: .none, logger: SampleDocuments.silentLogger)
        await set.start()
        await set.firstFetchEnded()
        #expect(keyIDs(set) == ["a"])
        await set.stop()
        #expect(!FileManager.default.fileExists(atPath: state.path))
    }

    // MARK: Reading

    @Test func `a missing state directory or saved key set causes no warning`() async throws {
        try await withFixture { server, fixture in
            server.answer(with: .status(.serviceUnavailable))
            let set = fixture.keySet()
            await set.start()
            await set.firstFetchEnded()
            #expect(!fixture.log.lines.contains { $0.message == ignored || $0.message == unusable })
            #expect(!FileManager.default.fileExists(atPath: fixture.directory.path))
            await set.stop()
        }
    }

    /// Damage to a valid saved file before the start, and the expected report.
    enum Spoiling: CaseIterable {
        case symbolicLink, directory, groupWritable, worldWritable, empty, cut, tooLarge, otherSource, future

        var reason: String {
            switch self {
            case .symbolicLink: "it is a symbolic link"
            case .directory: "it is not a regular file"
            case .groupWritable, .worldWritable: "others may write to it; give it to this process alone (chmod go-w)"
            case .empty, .cut: "it is not a saved key set"
            case .tooLarge: "it is too large"
            case .otherSource: "it was saved for another source, issuer or ca_file"
            case .future: "it was fetched in the future, by this machine's clock"
            }
        }
    }

    private func spoil(_ spoiling: Spoiling, _ fixture: SavedSetFixture) throws {
        let files = FileManager.default
        switch spoiling {
        case .symbolicLink:
            try files.moveItem(atPath: fixture.file, toPath: fixture.file + ".real")
            try files.createSymbolicLink(atPath: fixture.file, withDestinationPath: fixture.file + ".real")
        case .directory:
            try files.removeItem(atPath: fixture.file)
            try files.createDirectory(atPath: fixture.file, withIntermediateDirectories: false)
        case .groupWritable: try files.setAttributes([.posixPermissions: 0o620], ofItemAtPath: fixture.file)
        case .worldWritable: try files.setAttributes([.posixPermissions: 0o602], ofItemAtPath: fixture.file)
        case .empty: try fixture.leave([])
        case .cut: try fixture.leave(Array(try Data(contentsOf: URL(fileURLWithPath: fixture.file)).dropLast()))
        case .tooLarge: try fixture.leave([UInt8](repeating: 0x20, count: SavedKeySet.byteLimit + 1))
        case .otherSource:
            var other = fixture.configuration
            other.source = .jwkSetURL("https://other.example/keys")
            let saved = SavedKeySet(document: try SampleDocuments.keys(["a"]), fetchedAt: SavedSetFixture.past(1))
            try fixture.leave(saved.text(for: other) ?? [])
        case .future: try fixture.leave("a", secondsAgo: -400)
        }
    }

    @Test(arguments: Spoiling.allCases)
    func `a saved key set that others can write, or that is corrupt, is ignored with a warning`(spoiling: Spoiling)
        async throws
    {
        try await withFixture { server, fixture in
            try fixture.leave("a", secondsAgo: 100)
            try spoil(spoiling, fixture)
            server.answer(with: .status(.serviceUnavailable))
            let set = fixture.keySet()
            await set.start()
            await set.firstFetchEnded()
            #expect(keyIDs(set) == [])
            #expect(fixture.log.count(of: ignored) == 1)
            #expect(fixture.log.error(of: ignored) == spoiling.reason)
            await set.stop()
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"), arguments: [true, false])
    func `a saved key set or directory of another user is ignored`(isFile: Bool) async throws {
        try await withFixture { server, fixture in
            try fixture.leave("a", secondsAgo: 100)
            let path = isFile ? fixture.file : fixture.directory.path
            try FileManager.default.setAttributes([.ownerAccountID: 12_345], ofItemAtPath: path)
            server.answer(with: .status(.serviceUnavailable))
            let set = fixture.keySet()
            await set.start()
            await set.firstFetchEnded()
            #expect(keyIDs(set) == [])
            let reason = "it belongs to the user 12345 and not to the one this process runs as"
            #expect(fixture.log.error(of: isFile ? ignored : unusable) == reason)
            await set.stop()
        }
    }

    @Test(arguments: [0o777, 0o770, 0o1777])
    func `a directory that others may write to is neither read nor written, with one warning`(mode: Int)
        async throws
    {
        try await withFixture { server, fixture in
            try fixture.leave("a", secondsAgo: 100)
            let before = try Data(contentsOf: URL(fileURLWithPath: fixture.file))
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: fixture.directory.path)
            server.answer(with: .json(SampleDocuments.keySet("b")))
            let set = fixture.keySet()
            await set.start()
            await set.firstFetchEnded()
            #expect(await set.answer(keyID: "c") == .confirmedUnknown)
            #expect(keyIDs(set) == ["b"])
            #expect(fixture.log.count(of: unusable) == 1)
            #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.file)) == before)
            await set.stop()
        }
    }

    @Test func `a state directory path that is no directory is not used`() async throws {
        try await withFixture { server, fixture in
            try Data().write(to: URL(fileURLWithPath: fixture.directory.path))
            server.answer(with: .json(SampleDocuments.keySet("a")))
            let set = fixture.keySet()
            await set.start()
            #expect(await set.answer(keyID: "a") == .keysChanged)
            #expect(fixture.log.error(of: unusable) == "it is not a directory")
            await set.stop()
        }
    }

    @Test func `a state directory behind a symbolic link is used, as service managers set it up`() async throws {
        try await withFixture { server, fixture in
            try fixture.leave("a", secondsAgo: 100)
            let real = fixture.directory.path + ".real"
            try FileManager.default.moveItem(atPath: fixture.directory.path, toPath: real)
            try FileManager.default.createSymbolicLink(atPath: fixture.directory.path, withDestinationPath: real)
            server.answer(with: .status(.serviceUnavailable))
            let set = fixture.keySet()
            await set.start()
            await set.firstFetchEnded()
            #expect(keyIDs(set) == ["a"])
            await set.stop()
        }
    }
}
