/// An operator's request for the deny list on the admin listener.
public struct DenialRequest: Sendable, Hashable {
    public let action: DenialAction
    /// The entry in JSON; of a removal, one that says which tokens: all about them are removed. Empty for a list.
    public let body: [UInt8]

    /// Bytes of the longest body that is read.
    static let longestBody = 16 * 1024
}

/// Operation on the deny list, for logs.
public enum DenialAction: String, Sendable, Hashable, CaseIterable {
    case list, add, remove
}

/// Caller of the deny list, for logs.
public struct DenialCaller: Sendable, Hashable {
    /// The peer's address. Nil if the connection is gone.
    public let address: String?
    public let identity: Identity

    public enum Identity: String, Sendable, Hashable {
        /// Caller with the token of that file.
        case operatorToken = "admin.token_file"
        /// No token was shown, or another, or it was not looked at.
        case nobody
    }
}

/// The answer to it.
public struct DenialAnswer: Sendable, Hashable {
    public let status: Int
    /// In JSON.
    public let body: [UInt8]

    public init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// Access to the deny list. It is notified of every request for it.
public struct DenialService: Sendable {
    /// Called for whoever may ask; logs the request too.
    let answer: @Sendable (DenialRequest, DenialCaller) async -> DenialAnswer
    /// Told of a request that is refused before, with the status of the answer.
    let noteRefusal: @Sendable (DenialAction, DenialCaller, Int) -> Void

    public init(
        answer: @escaping @Sendable (DenialRequest, DenialCaller) async -> DenialAnswer,
        noteRefusal: @escaping @Sendable (DenialAction, DenialCaller, Int) -> Void
    ) {
        self.answer = answer
        self.noteRefusal = noteRefusal
    }
}

/// Whether a request may ask: as for every change, and besides nothing that a page in a browser can send without asking
/// first.
struct DenialPermission {
    let permission: ChangePermission

    /// Refusal of a request that may not be made, and the caller.
    ///
    /// The refusal is nil if it may.
    ///
    /// - Parameter contentType: the type of the body. Nil if there is no body.
    func refusal(
        host: String?, authorization: String?, origin: String?, contentType: String??
    ) -> (status: Int, words: String, identity: DenialCaller.Identity)? {
        // Before the token: a page may not find out whether it has guessed one.
        guard origin == nil else { return (403, "requests of web pages are not answered", .nobody) }
        if let refusal = permission.refusal(host: host, authorization: authorization) {
            return (refusal.status, refusal.words, .nobody)
        }
        guard let contentType else { return nil }
        let type = (contentType ?? "").prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
        return type == "application/json" ? nil : (415, "send one entry as application/json", .operatorToken)
    }
}
