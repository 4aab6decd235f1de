/// Where the store is, and as whom it is asked.
public struct StoreSettings: Sendable, Hashable {
    /// A name or an address, IPv6 without brackets.
    public var host: String
    public var port: Int
    public var database: Int
    /// nil: the default user.
    public var user: String?
    /// nil: nobody logs in.
    public var password: [UInt8]?
    /// Under which the names of callers are hashed; the same in all processes.
    public var secret: [UInt8]
    /// How long a request waits for its answer.
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

/// Why the store does not answer.
public enum StoreFault: Error, Sendable, Hashable {
    /// No connection, or it ended; what the library says of it.
    case connection(String)
    /// It refused to log in, to choose the database, or to take the script; what it says.
    case refused(String)
    /// No answer in time.
    case silent
    /// An answer that is none to what was asked.
    case invalid

    public var text: String {
        switch self {
        case .connection(let cause): cause
        case .refused(let cause): "it refused: \(cause)"
        case .silent: "no answer in time"
        case .invalid: "its answer is not one to what was asked"
        }
    }
}
