/// Treatment of the client's `Authorization` when a request is forwarded.
public enum ForwardedAuthorization: String, Sendable, Hashable, CaseIterable {
    /// Neither the token nor `Authorization` is forwarded.
    case strip
    /// A verified token is forwarded in the field that it came in.
    case keep
    /// The token is not forwarded, and `Authorization`, which never has the token, is forwarded as it is.
    case pass
}

extension ProtectedResource {
    /// Treatment of the client's `Authorization`.
    public var forwardedAuthorization: ForwardedAuthorization {
        get { passesAuthorization ? .pass : keepsAuthorization ? .keep : .strip }
        set { (keepsAuthorization, passesAuthorization) = (newValue == .keep, newValue == .pass) }
    }
}
