/// Address of the store, credentials, and timeout.
public struct StoreSettings: Sendable, Hashable {
    /// Host name or address, IPv6 without brackets.
    public var host: String
    public var port: Int
    public var database: Int
    /// User name. Nil for the default user.
    public var user: String?
    /// Password. Nil if there is no login.
    public var password: [UInt8]?
    /// Key under which the names of callers are hashed; the same in all processes.
    public var secret: [UInt8]
    /// Longest time that a request waits for its answer.
    public var timeout: Duration

    public init(
        host: String, port: Int, database: Int = 0, user: String? = nil, password: [UInt8]? = nil, secret: [UInt8],
        timeout: Duration = .milliseconds(50)
    ) {
        self.host = host
        self.port = port
        self.database = database
        self.user = user
        self.password = password
        self.secret = secret
        self.timeout = timeout
    }
}

/// Reason why the store does not answer.
public enum StoreFault: Error, Sendable, Hashable {
    /// No connection, or it was closed; with the library's error text.
    case connection(String)
    /// The store refused the login, the database or the script; with its error text.
    case refused(String)
    /// No answer in time.
    case silent
    /// The answer does not match the command.
    case invalid

    public var text: String {
        switch self {
        case .connection(let cause): cause
        case .refused(let cause): "it refused: \(cause)"
        case .silent: "no answer in time"
        case .invalid: "its answer does not match the command"
        }
    }
}
