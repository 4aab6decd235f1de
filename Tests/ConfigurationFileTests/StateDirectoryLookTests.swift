import ConfigurationFile
import Foundation
import TestSupport
import Testing

struct StateDirectoryLookTests {
    private let temporary: TemporaryFolder
    private var folder: URL { temporary.url }

    init() throws { temporary = try TemporaryFolder(permissions: 0o700) }

    private func problems(_ directory: String) throws -> [String] {
        let text = "state_directory: \(directory)\n" + (try ProblemCase.base())
        return Configuration.load(text: text, directory: folder.path, environment: [:]).problems.map {
            $0.rendered(file: "FILE")
        }
    }

    private func makeDirectory(_ name: String, permissions: Int, owner: UInt32? = nil) throws {
        let path = folder.appending(path: name).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
        if let owner { try FileManager.default.setAttributes([.ownerAccountID: owner], ofItemAtPath: path) }
    }

    private func warning(_ text: String, _ hint: String) -> String {
        "FILE:1:18: warning: state_directory: \(text): key sets are neither saved nor restored; \(hint)"
    }

    @Test func `a private state directory is accepted, and so is a missing one that can be created`() throws {
        try makeDirectory("state", permissions: 0o755)
        #expect(try problems("./state") == [])
        #expect(try problems("missing") == [])
        #expect(try problems(".") == [])
    }

    @Test func `a state directory behind a symbolic link is accepted`() throws {
        try makeDirectory("state", permissions: 0o700)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/link", withDestinationPath: folder.path + "/state")
        #expect(try problems("link") == [])
    }

    @Test func `a file in the path of the state directory causes a warning`() throws {
        try Data().write(to: folder.appending(path: "file"))
        #expect(
            try problems("file") == [
                warning("`file` is not a directory", "name a directory that belongs to the gateway alone")
            ])
        #expect(
            try problems("file/state") == [
                warning(
                    "the directory above `file/state` does not exist",
                    "make it: only the last directory of the path is made")
            ])
    }

    @Test func `a missing parent of the state directory causes a warning`() throws {
        #expect(
            try problems("a/b") == [
                warning(
                    "the directory above `a/b` does not exist", "make it: only the last directory of the path is made")
            ])
    }

    @Test(arguments: [0o770, 0o707, 0o777]) func `a state directory that others may write to causes a warning`(
        _ permissions: Int
    )
        throws
    {
        try makeDirectory("state", permissions: permissions)
        #expect(
            try problems("state") == [warning("others may write to `state`", "take the permission away: chmod go-w")])
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a directory away"))
    func `a state directory of another user causes a warning`() throws {
        try makeDirectory("state", permissions: 0o700, owner: 65_534)
        let text = "`state` belongs to another user than the one who runs this"
        #expect(try problems("state") == [warning(text, "give it to the user that runs the gateway")])
    }

    @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
    func `a state directory that cannot be written or created causes a warning`() throws {
        try makeDirectory("state", permissions: 0o500)
        #expect(
            try problems("state") == [
                warning("this user cannot write to `state`", "give them the permission: chmod u+rwx")
            ])
        let text = "`state/inner` does not exist and this user cannot make it"
        #expect(try problems("state/inner") == [warning(text, "make it for the user that runs the gateway, mode 0700")])
    }
}
