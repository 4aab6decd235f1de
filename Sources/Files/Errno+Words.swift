import SystemPackage

extension Errno {
    /// Words of the system, and in parentheses what to do about it where an operator can.
    public var words: String { advice.map { "\(description) (\($0))" } ?? description }

    private var advice: String? {
        switch self {
        case .permissionDenied, .notPermitted:
            "see owner and mode, which user this runs as, and for a connection the firewall"
        case .noSpace: "make room there"
        case .diskQuotaExceeded: "make room there, or raise the quota"
        case .tooManyOpenFiles: "raise the limit: `LimitNOFILE=` of the service, or `ulimit -n`"
        case .tooManyOpenFilesInSystem: "raise the limit of the machine: `sysctl fs.file-max`"
        case .addressInUse: "`ss -ltnp` names the process"
        case .addressNotAvailable: "no interface of this machine has this address: `ip address` lists them"
        case .networkUnreachable, .noRouteToHost: "no route leads there: `ip route` lists them"
        default: nil
        }
    }
}
