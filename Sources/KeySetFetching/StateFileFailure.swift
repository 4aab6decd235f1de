import NIOPosix

/// Reason why a file or directory of the gateway's own state is not used; `description` is for operators, after its
/// path.
public enum StateFileFailure: Error, Sendable, Hashable {
    case symbolicLink
    case notRegularFile
    case notDirectory
    /// Owned by that user, who is not the one this process runs as.
    case ownedByOther(UInt32)
    /// Writable by its group or by everybody: what is in it could be anyone's.
    case writableByOthers
    case tooLarge
    /// The operating system's own reason.
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
    /// Runs work on the gateway's own state on a thread for files.
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
