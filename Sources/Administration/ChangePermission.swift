/// Rule for requests that change something on the admin listener.
struct ChangePermission {
    /// The bearer token that changes require. Nil if changes are disabled.
    let token: [UInt8]?

    /// The reason to refuse the request. Nil if it is permitted.
    func refusal(host: String?, authorization: String?) -> (status: Int, words: String)? {
        guard LocalHost.permits(host) else { return (421, LocalHost.refusal) }
        guard let token else { return (403, "changes are disabled: the file has no admin.token_file") }
        guard let authorization, Self.matches(authorization, token) else {
            return (401, "send the token of admin.token_file: `Authorization: Bearer TOKEN`")
        }
        return nil
    }

    /// Compares the tokens in a time that depends only on their lengths.
    private static func matches(_ authorization: String, _ token: [UInt8]) -> Bool {
        let scheme = "bearer "
        guard authorization.lowercased().hasPrefix(scheme) else { return false }
        let sent = Array(authorization.utf8.dropFirst(scheme.utf8.count))
        guard sent.count == token.count else { return false }
        return zip(sent, token).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
