/// An operator's request about the deny list on the admin listener.
public struct DenialRequest: Sendable, Hashable {
    public let action: DenialAction
    /// The entry as JSON. For a removal it describes tokens, and all entries about them are removed. Empty for `list`.
    public let body: [UInt8]

    /// Size limit of a body in bytes.
    static let longestBody = 16 * 1024

    /// True for the `Content-Type` of a body. A page can send no such body to another site without a preflight.
    static func isJSON(_ contentType: String?) -> Bool {
        (contentType ?? "").prefix { $0 != ";" }.filter { $0 != " " }.lowercased() == "application/json"
    }
}

/// Action on the deny list, named as in logs.
public enum DenialAction: String, Sendable, Hashable, CaseIterable {
    case list, add, remove
}

/// Sender of a request about the deny list, for logs.
public struct DenialCaller: Sendable, Hashable {
    /// The address of the client. Nil if the connection is closed.
    public let address: String?
    public let identity: Identity

    public enum Identity: String, Sendable, Hashable {
        /// A client that sent the token of `admin.token_file`.
        case operatorToken = "admin.token_file"
        /// A client without a valid token, or one that was refused before its token was checked.
        case nobody
    }
}

/// Response to a `DenialRequest`.
public struct DenialAnswer: Sendable, Hashable {
    public let status: Int
    /// The response body, as JSON.
    public let body: [UInt8]

    public init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// Callbacks of the deny list, which are called for every request about it.
public struct DenialService: Sendable {
    /// Answers a permitted request and logs it.
    let answer: @Sendable (DenialRequest, DenialCaller) async -> DenialAnswer
    /// Logs a request that was refused before `answer`, with the status of the response.
    let noteRefusal: @Sendable (DenialAction, DenialCaller, Int) -> Void

    public init(
        answer: @escaping @Sendable (DenialRequest, DenialCaller) async -> DenialAnswer,
        noteRefusal: @escaping @Sendable (DenialAction, DenialCaller, Int) -> Void
    ) {
        self.answer = answer
        self.noteRefusal = noteRefusal
    }
}
