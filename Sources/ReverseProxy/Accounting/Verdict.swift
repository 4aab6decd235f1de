import RequestAuthorization

/// What becomes of a request before any upstream has a say.
public enum Verdict: Hashable, Sendable {
    /// It is forwarded, or answered with a document.
    case permitted
    /// The gateway answers itself.
    case answered(RejectionReason)
    /// It cannot be told without waiting or asking.
    case unknown

    /// The HTTP status; 200 also stands for a request that is forwarded.
    var status: Int? {
        switch self {
        case .permitted: 200
        case .answered(let reason): reason.status
        case .unknown: nil
        }
    }

    /// The reason in logs and metrics; nil: it needs none.
    public var label: String? {
        switch self {
        case .permitted: nil
        case .answered(let reason): reason.label
        case .unknown: "unknown"
        }
    }
}

/// What would have become of a request, and who says so.
struct WouldBeVerdict: Hashable {
    enum Judge: String {
        /// The file in force, if its rule were not only observed.
        case observe
        /// The file of `--shadow`.
        case shadow
    }

    let verdict: Verdict
    let judge: Judge
}
