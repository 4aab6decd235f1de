import Foundation
import TestSupport
import Testing

@testable import GatewayAssembly

struct FileChangesTests {
    @Test func `a changed file is read once, after two looks found the same stamp`() {
        var change = SettledChange(read: 1)
        #expect(
            [1, 2, 3, 3, 3, 4, 4].map { change.isToBeRead($0) } == [false, false, false, true, false, false, true])
    }

    @Test func `a missing file has not changed, nor has a file that comes back unchanged`() {
        var change = SettledChange(read: 1)
        #expect(
            [nil, nil, 1, 1, nil, 2, nil, 2, 2].map { change.isToBeRead($0) } == [
                false, false, false, false, false, false, false, false, true,
            ])
    }

    @Test func `a file that was missing at first is read when it appears`() {
        var change = SettledChange<Int>(read: nil)
        #expect([nil, 1, 1].map { change.isToBeRead($0) } == [false, false, true])
    }

    /// As in the volume of a ConfigMap: the file is a link into `..data`, which is a link to a directory that is
    /// replaced as a whole.
    @Test(.timeLimit(.minutes(1))) func `a symbolic link set to another directory counts as a change of the file`()
        async throws
    {
        let files = FileManager.default
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let volume = folder.url
        let link = { (name: String, target: String) in
            try files.createSymbolicLink(atPath: volume.appendingPathComponent(name).path, withDestinationPath: target)
        }
        for (directory, text) in [("..one", "listen: a"), ("..two", "listen: b")] {
            try files.createDirectory(at: volume.appendingPathComponent(directory), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: volume.appendingPathComponent("\(directory)/file"))
        }
        try link("..data", "..one")
        try link("file", "..data/file")
        let changes = await FileChanges(path: volume.appendingPathComponent("file").path)
        try link("..new", "..two")
        #expect(
            unsafe rename(volume.appendingPathComponent("..new").path, volume.appendingPathComponent("..data").path)
                == 0)
        let (told, teller) = AsyncStream.makeStream(of: Void.self)
        let watch = Task { await changes.run { teller.yield() } }
        var iterator = told.makeAsyncIterator()
        #expect(await iterator.next() != nil)
        watch.cancel()
    }
}
