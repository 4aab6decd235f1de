import ByteWords
import JOSE
import NetworkNames
import Synchronization

/// Cache of the protected headers of tokens whose signatures were valid. All tokens of a key begin with the same bytes,
/// so each header is parsed once. A header with `exp` is not cached, because each token has another.
///
/// A cached header is the result of parsing its bytes. It contains no key, and proves nothing about a token. The cache
/// can be used from several threads at once.
public final class KnownHeaders: Sendable {
    private struct Entry {
        let encoded: [UInt8]
        let header: ProtectedHeader
    }

    /// Cached headers by a hash of their encoded form. A collision costs one parse, and only a signer of tokens could
    /// cause one.
    private let entries = Mutex<[UInt64: Entry]>([:])

    /// Largest number of headers, more than all issuers have keys. A full cache is emptied, for example if every token
    /// has a different header.
    static let mostEntries = 256
    /// Greatest length of an encoded header that is cached, in bytes.
    static let longestHeader = 1024

    public init() {}

    /// The parsed form of an encoded header. Nil if it is not cached.
    func header(of encoded: Span<UInt8>) -> ProtectedHeader? {
        guard encoded.count <= Self.longestHeader else { return nil }
        let hash = FNV1a.hash(encoded)
        return entries.withLock { entries in
            guard let entry = entries[hash], encoded.equals(entry.encoded.span) else { return nil }
            return entry.header
        }
    }

    /// Adds the header of a token to the cache.
    ///
    /// - Parameter token: a token with a valid signature. Headers of other tokens must not fill the cache.
    public func keep(headerOf token: UnverifiedToken, _ bytes: Span<UInt8>) {
        let encoded = bytes.extracting(token.jws.protectedHeader)
        guard !token.headerWasKnown, encoded.count <= Self.longestHeader, token.header.statement.expiration == .absent
        else { return }
        let hash = FNV1a.hash(encoded)
        var copy: [UInt8] = []
        copy.reserveCapacity(encoded.count)
        for index in encoded.indices { copy.append(encoded[index]) }
        let entry = Entry(encoded: copy, header: token.header)
        entries.withLock { entries in
            if entries.count >= Self.mostEntries { entries.removeAll(keepingCapacity: true) }
            entries[hash] = entry
        }
    }

    /// Number of cached headers.
    public var count: Int { entries.withLock { $0.count } }
}
