import SystemPackage

extension Errno {
    /// The system's description of the error, followed by advice in parentheses if an operator can fix it.
    public var words: String { advice.map { "\(description) (\($0))" } ?? description }

    private var advice: String? {
        switch self {
        case .permissionDenied, .notPermitted:
            "check owner, mode and the user this runs as; for a connection, the firewall"
        case .noSpace: "free space there"
        case .diskQuotaExceeded: "free space there, or raise the quota"
        case .tooManyOpenFiles: "raise the limit: `LimitNOFILE=` of the service, or `ulimit -n`"
        case .tooManyOpenFilesInSystem: "raise the limit of the machine: `sysctl fs.file-max`"
        case .addressInUse: "`ss -ltnp` names the process"
        case .addressNotAvailable: "no interface of this machine has this address: `ip address` lists them"
        case .networkUnreachable, .noRouteToHost: "no route leads there: `ip route` lists them"
        default: nil
        }
    }
}
