/// Error code of a stream or a connection (RFC 9113 §7).
public struct HTTP2ErrorCode: RawRepresentable, Hashable, Sendable {
    public var rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public static let noError = Self(rawValue: 0)
    public static let protocolError = Self(rawValue: 1)
    public static let internalError = Self(rawValue: 2)
    public static let flowControlError = Self(rawValue: 3)
    public static let settingsTimeout = Self(rawValue: 4)
    public static let streamClosed = Self(rawValue: 5)
    public static let frameSizeError = Self(rawValue: 6)
    public static let refusedStream = Self(rawValue: 7)
    public static let cancel = Self(rawValue: 8)
    public static let compressionError = Self(rawValue: 9)
    public static let connectError = Self(rawValue: 10)
    public static let enhanceYourCalm = Self(rawValue: 11)
    public static let inadequateSecurity = Self(rawValue: 12)
    public static let http11Required = Self(rawValue: 13)
}
