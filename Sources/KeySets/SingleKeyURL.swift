import NetworkNames

/// URL of a key that is published alone: the key ID below the URL of a place.
///
/// The sender of a token chooses its key ID. So only a UUID in lower case gets a URL, and no sender can have another
/// document of the server fetched.
public struct SingleKeyURL: Sendable, Hashable {
    public let url: HTTPURL
    public let keyID: String

    /// Nil if the key ID is not a UUID in lower case, or if the place is no URL.
    ///
    /// - Parameter place: URL without a query and without a slash at its end.
    public init?(_ keyID: String, below place: String) {
        guard Self.isKeyID(keyID), let url = HTTPURL(place + "/" + keyID) else { return nil }
        self.url = url
        self.keyID = keyID
    }

    /// True for a UUID in lower case (RFC 9562 §4): groups of 8, 4, 4, 4 and 12 hexadecimal digits.
    public static func isKeyID(_ text: String) -> Bool {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12] && groups.joined().allSatisfy(isDigit)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        ASCII.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
