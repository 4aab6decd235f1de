import NameLookup
import NetworkNames
import StrictJSON

/// Last answers of name servers about upstreams' names, saved for the next process. No clock, no I/O.
///
/// A saved address may belong to another tenant when it is used. Answers must therefore be from the same boot, and at
/// most ``longestAge`` old. They are used only while no name server answers (``NameTable``). Times are milliseconds
/// since the boot, and include the time for which the machine sleeps.
public struct SavedNames: Sendable, Hashable {
    public struct Answer: Sendable, Hashable {
        /// At least one address, and at most ``FoundAddresses/most``.
        public let addresses: [IPAddress]
        /// Time at which name servers gave the answer.
        public let learntAt: Int64

        public init(_ addresses: [IPAddress], learntAt: Int64) {
            self.addresses = addresses
            self.learntAt = learntAt
        }
    }

    public var answers: [String: Answer]

    public init(_ answers: [String: Answer] = [:]) {
        self.answers = answers
    }

    /// Largest age of an answer.
    public static let longestAge: Duration = .seconds(3600)
    /// Largest age of an address off the machine to which requests go without TLS. Its next owner could read them.
    public static let longestAgeWithoutTLS: Duration = .seconds(300)
    /// Maximum number of saved names. The names with the latest answers are saved.
    public static let most = 1024
    /// Maximum size of the saved text, in bytes.
    public static let byteLimit = 256 * 1024

    /// Version of the text's format. Any other is rejected.
    static let version: Int64 = 1
}

// MARK: Writing

extension SavedNames {
    /// Encodes the answers as JSON text. Answers beyond the limits are left out.
    ///
    /// - Parameter boot: the identity of the machine's current boot.
    public func text(boot: String) -> [UInt8] {
        JSONObjectWriter.object { writer, bytes in
            writer.member("version", integer: Self.version, into: &bytes)
            writer.member("boot", string: boot, into: &bytes)
            writer.beginArray("names", into: &bytes)
            let latest = answers.sorted { ($1.value.learntAt, $0.key) < ($0.value.learntAt, $1.key) }
            for (name, answer) in latest.prefix(Self.most) where Self.isHost(name) {
                let addresses = answer.addresses.map(\.description).joined(separator: " ")
                // The text around them takes less than 64 bytes. Host names need no escapes.
                guard bytes.count + name.utf8.count + addresses.utf8.count + 128 <= Self.byteLimit else { break }
                writer.beginObject(into: &bytes)
                writer.member("name", string: name, into: &bytes)
                writer.member("learnt_at", integer: answer.learntAt, into: &bytes)
                writer.member("addresses", string: addresses, into: &bytes)
                writer.end(into: &bytes)
            }
            writer.end(into: &bytes)
        }
    }
}

// MARK: Reading

/// Reason that saved answers are not used. `description` is for operators.
public enum SavedNamesRejection: Error, Sendable, Hashable, CustomStringConvertible {
    case malformed
    case versionUnknown(Int64)
    /// The machine was booted since. Nothing is wrong with the answers.
    case otherBoot
    case tooMany
    case fromTheFuture

    public var description: String {
        switch self {
        case .malformed: "it is not what this program writes"
        case .versionUnknown(let version): "its format version is \(version), which this program does not know"
        case .otherBoot: "it is from another boot of the machine"
        case .tooMany: "it has too many names or addresses"
        case .fromTheFuture: "an answer is from the future"
        }
    }
}

extension SavedNames {
    /// Parses text that ``text(boot:)`` wrote in the same boot. Any deviation rejects the whole text. Answers that are
    /// too old for any use are left out.
    ///
    /// - Parameter now: current time since the boot, in milliseconds.
    public init(parsing bytes: Span<UInt8>, boot: String, at now: Int64) throws(SavedNamesRejection) {
        let root = try Self.root(of: bytes)
        guard root.kind == .object, let version = root[member: "version"]?.integer else { throw .malformed }
        guard version == Self.version else { throw .versionUnknown(version) }
        guard let found = root[member: "boot"]?.string else { throw .malformed }
        guard found == boot else { throw .otherBoot }
        guard let names = root[member: "names"], names.kind == .array, root.count == 3 else { throw .malformed }
        guard names.count <= Self.most else { throw .tooMany }
        var answers: [String: Answer] = [:]
        for entry in names.elements {
            guard let (name, answer) = try Self.entry(entry) else { throw .malformed }
            guard answer.learntAt <= now else { throw .fromTheFuture }
            guard answers[name] == nil else { throw .malformed }
            answers[name] = answer
        }
        self.init(answers.filter { now &- $0.value.learntAt <= Self.longestAge.wholeMilliseconds })
    }

    private static func root(of bytes: Span<UInt8>) throws(SavedNamesRejection) -> JSONValue {
        do throws(JSONRejection) {
            return try JSONDocument(parsing: bytes, limits: JSONLimits(depth: 3, members: 8, bytes: byteLimit)).root
        } catch {
            throw .malformed
        }
    }

    private static func entry(_ value: JSONValue) throws(SavedNamesRejection) -> (String, Answer)? {
        guard value.kind == .object, value.count == 3, let name = value[member: "name"]?.string, isHost(name),
            let learntAt = value[member: "learnt_at"]?.integer, learntAt >= 0,
            let texts = value[member: "addresses"]?.string
        else { return nil }
        let parts = texts.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count <= FoundAddresses.most else { throw .tooMany }
        let addresses = parts.compactMap { IPAddress($0) }
        guard addresses.count == parts.count else { return nil }
        return (name, Answer(addresses, learntAt: learntAt))
    }

    /// True if the name can be a host name (RFC 1123 §2.1). Underscores are allowed too, because service discovery uses
    /// them.
    private static func isHost(_ name: String) -> Bool {
        (1...253).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte &- 0x30 < 10
                    || (byte | 0x20) &- 0x61 < 26
            }
    }
}

extension Duration {
    /// Whole milliseconds of a duration within the limits above.
    var wholeMilliseconds: Int64 { components.seconds &* 1000 &+ components.attoseconds / 1_000_000_000_000_000 }
}

extension SavedNames {
    /// Difference of the times at which an unchanged answer is saved again.
    static let repetition: Duration = .seconds(60)

    /// True if these answers are worth saving in place of `saved`: an answer differs, is new or missing, or is much
    /// newer.
    public func isNews(after saved: SavedNames) -> Bool {
        guard answers.count == saved.answers.count else { return true }
        return answers.contains { name, answer in
            guard let other = saved.answers[name], Set(other.addresses) == Set(answer.addresses) else { return true }
            return answer.learntAt &- other.learntAt >= Self.repetition.wholeMilliseconds
        }
    }
}
