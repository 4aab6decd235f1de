import JOSE
import StrictJSON
import TokenVerification

/// The last valid answer of a key set and the kept keys, to be used again after a restart or by a successor.
///
/// Contains only keys that were found usable, so never a private or symmetric key. All times are of the wall clock, so
/// the stale limit and the retention continue across restarts.
public struct SavedKeySet: Sendable {
    /// The document's keys.
    public let document: KeySet
    /// Time at which the document was last fetched, or confirmed to be unchanged.
    public let fetchedAt: NumericDate
    /// Kept keys that left the document earlier.
    public let kept: [KeptKey]

    public init(document: KeySet, fetchedAt: NumericDate, kept: [KeptKey] = []) {
        self.document = document
        self.fetchedAt = fetchedAt
        self.kept = kept
    }

    /// Largest file that is written or read, in bytes: twice the size of a thousand keys of the largest kind.
    public static let byteLimit = 4 * 1024 * 1024
    /// Version of the file's format. Any other version is rejected.
    static let version: Int64 = 1
    /// Largest accepted distance of a time in the future, because clocks are corrected.
    static let clockTolerance = Duration.seconds(300)

    /// Snapshot for requests until the first fetch.
    public func snapshot(for configuration: KeySetConfiguration, at now: NumericDate) -> KeySetSnapshot {
        var retention = KeyRetention(retention: configuration.keptRetention, limit: configuration.keyLimit)
        retention.restore(kept, beside: document)
        _ = retention.expire(at: now)
        return KeySetSnapshot(
            keys: retention.keys(beside: document),
            fetchedAt: fetchedAt,
            staleLimit: configuration.staleLimit,
            lastFetchSucceeded: true,
            soleKeyID: configuration.source.soleKeyID,
            hasSingleKeys: configuration.source.hasSingleKeys,
            generation: 1,
        )
    }
}

// MARK: Writing

extension SavedKeySet {
    /// The set as JSON text for the file of this configuration. Nil if it is larger than ``byteLimit``.
    public func text(for configuration: KeySetConfiguration) -> [UInt8]? {
        let bytes = JSONObjectWriter.object { writer, bytes in
            writer.member("version", integer: Self.version, into: &bytes)
            configuration.identity.write(as: "key_set", with: &writer, into: &bytes)
            // For people who open the file. Not compared: one URL may serve several issuers, and the issuer of a
            // metadata document is part of `key_set`.
            writer.member("issuer", string: configuration.issuer, into: &bytes)
            writer.member("fetched_at", real: fetchedAt.seconds, into: &bytes)
            writer.objects("keys", document.keys, into: &bytes) { $0.writeJWKMembers(with: &$1, into: &$2) }
            writer.objects("kept", kept, into: &bytes) { key, writer, bytes in
                writer.member("last_seen", real: key.lastSeen.seconds, into: &bytes)
                writer.beginObject("jwk", into: &bytes)
                key.key.writeJWKMembers(with: &writer, into: &bytes)
                writer.end(into: &bytes)
            }
        }
        return bytes.count <= Self.byteLimit ? bytes : nil
    }
}

// MARK: Reading

extension SavedKeySet {
    /// Reads a text that ``text(for:)`` wrote for the same key set. Throws for any other text.
    ///
    /// Does not check the age: a set past the stale limit is read, and ``fetchedAt`` shows its age.
    public init(
        parsing bytes: Span<UInt8>,
        for configuration: KeySetConfiguration,
        at now: NumericDate,
    ) throws(SavedKeySetRejection) {
        let root = try Self.root(of: bytes)
        guard root.kind == .object else { throw .malformed }
        guard let version = root[member: "version"]?.integer else { throw .malformed }
        guard version == Self.version else { throw .versionUnknown(version) }
        guard let source = root[member: "key_set"] else { throw .malformed }
        guard source.serialized() == configuration.identity.text else { throw .otherKeySet }
        let fetchedAt = try Self.date(root[member: "fetched_at"], latest: now + Self.clockTolerance)
        let document = KeySet(keys: try Self.keys(root[member: "keys"], limit: configuration.keyLimit))
        guard !document.keys.isEmpty || configuration.source.hasSingleKeys else { throw .noKeys }
        let kept = try Self.kept(root[member: "kept"], limit: configuration.keyLimit, latest: now + Self.clockTolerance)
        self.init(document: document, fetchedAt: fetchedAt, kept: kept)
    }

    private static func root(of bytes: Span<UInt8>) throws(SavedKeySetRejection) -> JSONValue {
        do throws(JSONRejection) {
            return try JSONDocument(parsing: bytes, limits: JSONLimits(depth: 5, members: 16, bytes: byteLimit)).root
        } catch {
            throw error == .tooLarge ? .tooLarge : .malformed
        }
    }

    private static func date(_ value: JSONValue?, latest: NumericDate) throws(SavedKeySetRejection) -> NumericDate {
        guard let seconds = value?.real, seconds >= 0 else { throw .malformed }
        guard seconds <= latest.seconds else { throw .fromTheFuture }
        return NumericDate(seconds: seconds)
    }

    private static func list(_ value: JSONValue?, limit: Int) throws(SavedKeySetRejection) -> JSONElements {
        guard let value, value.kind == .array else { throw .malformed }
        guard value.count <= limit else { throw .tooManyKeys }
        return value.elements
    }

    private static func keys(_ value: JSONValue?, limit: Int) throws(SavedKeySetRejection) -> [VerificationKey] {
        var keys: [VerificationKey] = []
        for jwk in try list(value, limit: limit) { keys.append(try key(jwk)) }
        return keys
    }

    private static func kept(_ value: JSONValue?, limit: Int, latest: NumericDate) throws(SavedKeySetRejection)
        -> [KeptKey]
    {
        var kept: [KeptKey] = []
        for entry in try list(value, limit: limit) {
            guard let jwk = entry[member: "jwk"] else { throw .malformed }
            kept.append(KeptKey(try key(jwk), lastSeen: try date(entry[member: "last_seen"], latest: latest)))
        }
        return kept
    }

    private static func key(_ jwk: JSONValue) throws(SavedKeySetRejection) -> VerificationKey {
        do throws(JSONWebKeyRejection) {
            return try VerificationKey(jwk: jwk)
        } catch {
            throw .keyRefused(error)
        }
    }
}
