import StrictJSON
import TokenVerification

/// Names of the realms that had a place, to be asked for at once after a restart. Their keys are saved apart.
public struct SavedRealms: Sendable, Hashable {
    public let names: [String]

    public init(_ names: some Sequence<String>) {
        self.names = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Largest file that is written or read, in bytes.
    public static let byteLimit = 256 * 1024
    private static let version: Int64 = 1

    /// The names as JSON text for the file of this configuration.
    public func text(for configuration: RealmKeySetsConfiguration) -> [UInt8] {
        JSONObjectWriter.object { writer, bytes in
            writer.member("version", integer: Self.version, into: &bytes)
            writer.member("key_sets", string: Self.identity(of: configuration), into: &bytes)
            writer.member("realms", strings: names, into: &bytes)
        }
    }

    /// Reads a text that ``text(for:)`` wrote for the same key sets. Nil for any other text.
    ///
    /// Leaves out names that the pattern no longer accepts, and those beyond the number of places.
    public init?(parsing bytes: Span<UInt8>, for configuration: RealmKeySetsConfiguration) {
        let limits = JSONLimits(depth: 4, members: 16, bytes: Self.byteLimit)
        guard let root = try? JSONDocument(parsing: bytes, limits: limits).root, root.kind == .object,
            root[member: "version"]?.integer == Self.version,
            root[member: "key_sets"]?.isString(equalTo: Self.identity(of: configuration)) == true,
            let realms = root[member: "realms"], realms.kind == .array
        else { return nil }
        let names = Set(realms.elements.compactMap(\.string).filter(configuration.pattern.accepts))
        self.init(SavedRealms(names).names.prefix(configuration.most))
    }

    private static func identity(of configuration: RealmKeySetsConfiguration) -> String {
        String(decoding: configuration.identityText, as: UTF8.self)
    }
}
