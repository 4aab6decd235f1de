import ReverseProxy

/// Reason why a gateway did not start.
public enum StartFailure: Error, Sendable, CustomStringConvertible {
    case listener(ListeningSocketFailure)
    case admin(address: String, String)
    case accessLog(String)
    case certificates(String)
    case denials(String)
    case gateway(String)

    /// The process is shutting down.
    static let draining = StartFailure.gateway("the gateway is draining")

    public var description: String {
        switch self {
        case .listener(let failure): "listen: \(failure)"
        case .admin(let address, let cause): "admin: \(address) could not be bound: \(cause)"
        case .accessLog(let cause): "access_log: \(cause)"
        case .certificates(let cause): "listen: \(cause)"
        case .denials(let cause):
            "state_directory: \(cause); to drop all saved denials, remove the file"
        case .gateway(let cause): cause
        }
    }

    /// Opens an access log or another file for it, and converts failures.
    static func ofAccessLog<Result>(_ open: () throws -> Result) throws(StartFailure) -> Result {
        do { return try open() } catch { throw .accessLog("\(error)") }
    }
}

/// Reason why a reload changed nothing.
public enum ReloadFailure: Error, Sendable, CustomStringConvertible {
    /// Keys of the file that have changed and whose change needs a restart.
    case needsRestart([String])
    case refused(StartFailure)

    public var description: String {
        switch self {
        case .needsRestart(let keys): "a change of \(keys.joined(separator: ", ")) needs a restart"
        case .refused(let failure): "\(failure)"
        }
    }
}
