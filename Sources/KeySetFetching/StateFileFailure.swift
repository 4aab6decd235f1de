import NIOPosix

/// Reason why a file or directory with the gateway's state is not used. `description` is for operators, to follow the
/// path.
public enum StateFileFailure: Error, Sendable, Hashable {
    case symbolicLink
    case notRegularFile
    case notDirectory
    /// The file belongs to this user ID, not to the user that this process runs as.
    case ownedByOther(UInt32)
    /// The file is writable by its group or by all users, so other users could have changed its content.
    case writableByOthers
    case tooLarge
    /// Another failure, with a reason in words, mostly that of the operating system.
    case failed(String)
}

extension StateFileFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .symbolicLink: "it is a symbolic link"
        case .notRegularFile: "it is not a regular file"
        case .notDirectory: "it is not a directory"
        case .ownedByOther(let user): "it belongs to the user \(user) and not to the one this process runs as"
        case .writableByOthers: "others may write to it; give it to this process alone (chmod go-w)"
        case .tooLarge: "it is too large"
        case .failed(let reason): reason
        }
    }
}

extension NIOThreadPool {
    /// Runs an operation on the gateway's state files on a thread for file access.
    func runOnState<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value)
        async throws(StateFileFailure) -> Value
    {
        do {
            return try await runIfActive(work)
        } catch {
            throw error as? StateFileFailure ?? .failed(PlainReason.of(error))
        }
    }
}
