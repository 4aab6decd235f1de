/// Whether a request may change something on the admin listener.
struct ChangePermission {
    /// Token that a request must have to change something. Nil if none can.
    let token: [UInt8]?

    /// Refusal of a request that may not change anything. Nil if it may.
    func refusal(host: String?, authorization: String?) -> (status: Int, words: String)? {
        guard LocalHost.permits(host) else { return (421, LocalHost.refusal) }
        guard let token else { return (403, "nothing can be changed here: the file has no admin.token_file") }
        guard let authorization, Self.matches(authorization, token) else {
            return (401, "send the token of admin.token_file: `Authorization: Bearer TOKEN`")
        }
        return nil
    }

    /// In a time that depends on the lengths alone.
    private static func matches(_ authorization: String, _ token: [UInt8]) -> Bool {
        let scheme = "bearer "
        guard authorization.lowercased().hasPrefix(scheme) else { return false }
        let sent = Array(authorization.utf8.dropFirst(scheme.utf8.count))
        guard sent.count == token.count else { return false }
        return zip(sent, token).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
