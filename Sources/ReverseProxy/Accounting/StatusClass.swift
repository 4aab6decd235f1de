/// Class of a status (RFC 9110 §15).
enum StatusClass: Int, CaseIterable, Sendable {
    /// No status was sent to the client.
    case none
    case informational
    case successful
    case redirection
    case clientError
    case serverError

    init(_ status: Int?) {
        self = status.flatMap { StatusClass(rawValue: $0 / 100) } ?? .none
    }

    /// Label in metrics, such as `2xx`. Empty for `none`.
    var label: String { self == .none ? "" : "\(rawValue)xx" }
}
