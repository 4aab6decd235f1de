import JOSE
import NetworkNames
import Synchronization

/// The protected headers of tokens whose signatures were valid, so that each is parsed once: all tokens of a key begin
/// with the same bytes.
///
/// A header that is found is what parsing its bytes would give, and nothing more: no key and no proof. Usable from any
/// thread at once.
public final class KnownHeaders: Sendable {
    private struct Entry {
        let encoded: [UInt8]
        let header: ProtectedHeader
    }

    /// Headers by a hash of their encoded form. A collision costs one parse, and only a signer of tokens could cause
    /// one.
    private let entries = Mutex<[UInt64: Entry]>([:])

    /// More than all issuers have keys. Where each token has a header of its own, it is begun anew when it is full.
    static let mostEntries = 256
    /// The longest encoded header that is kept, in bytes.
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

    /// Keeps the header of a token.
    ///
    /// - Parameter token: one whose signature is valid: no other may fill the table.
    public func keep(headerOf token: UnverifiedToken, _ bytes: Span<UInt8>) {
        let encoded = bytes.extracting(token.jws.protectedHeader)
        guard !token.headerWasKnown, encoded.count <= Self.longestHeader else { return }
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
