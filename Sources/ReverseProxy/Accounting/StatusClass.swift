/// The class of a status (RFC 9110 §15).
enum StatusClass: Int, CaseIterable, Sendable {
    /// The client was sent no status.
    case none
    case informational
    case successful
    case redirection
    case clientError
    case serverError

    init(_ status: Int?) {
        self = status.flatMap { StatusClass(rawValue: $0 / 100) } ?? .none
    }

    /// As metrics have it: `2xx`, or empty.
    var label: String { self == .none ? "" : "\(rawValue)xx" }
}
