import FoundationEssentials
import Glibc
import SystemPackage

/// Checks whether key sets can be saved in the configured state directory.
///
/// At run time the gateway checks this itself and reports only that it cannot save; here the operator gets the reason.
/// Nothing is created or written. So a full disk or a read-only file system is not found.
enum StateDirectoryLook {
    static func warn(_ value: Value, _ path: String, at resolved: String) {
        guard let fault = fault(path, at: resolved) else { return }
        value.warn("\(fault.message): key sets are neither saved nor restored", hint: fault.hint)
    }

    private struct Fault {
        let message: String
        let hint: String

        init(_ message: String, _ hint: String) {
            self.message = message
            self.hint = hint
        }
    }

    private static func fault(_ path: String, at resolved: String) -> Fault? {
        switch FileOnDisk.kind(at: resolved) {
        case nil: return faultOfParent(path, resolved)
        case .directory: return faultOfOwner(path, resolved) ?? faultOfAccess(path, resolved)
        case .regular, .other:
            return Fault("`\(path)` is not a directory", "name a directory that belongs to the gateway alone")
        }
    }

    /// Problem of a directory that does not exist yet. The gateway creates the directory, but none above it. Nil if the
    /// directory can be created.
    private static func faultOfParent(_ path: String, _ resolved: String) -> Fault? {
        let parent = URL(fileURLWithPath: resolved).deletingLastPathComponent().path
        guard FileOnDisk.kind(at: parent) == .directory else {
            return Fault(
                "the directory above `\(path)` does not exist", "make it: only the last directory of the path is made")
        }
        guard !FileManager.default.isWritableFile(atPath: parent) else { return nil }
        return Fault(
            "`\(path)` does not exist and this user cannot make it",
            "make it for the user that runs the gateway, mode 0700")
    }

    /// Problem of a directory's owner and permissions. In a directory that others can write, anyone could have placed
    /// keys. Nil if there is no problem, or the directory cannot be examined.
    private static func faultOfOwner(_ path: String, _ resolved: String) -> Fault? {
        guard let found = FileOnDisk.look(at: resolved) else { return nil }
        guard found.userID == UserID(geteuid()) else {
            return Fault(
                "`\(path)` belongs to another user than the one who runs this",
                "give it to the user that runs the gateway")
        }
        guard !found.permissions.isDisjoint(with: [.groupWrite, .otherWrite]) else { return nil }
        return Fault("others may write to `\(path)`", "take the permission away: chmod go-w")
    }

    private static func faultOfAccess(_ path: String, _ resolved: String) -> Fault? {
        guard !FileManager.default.isWritableFile(atPath: resolved) else { return nil }
        return Fault("this user cannot write to `\(path)`", "give them the permission: chmod u+rwx")
    }
}
