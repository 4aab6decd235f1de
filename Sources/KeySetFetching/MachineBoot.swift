import Files
import SystemPackage

/// Current boot of the machine, and the time since. Data that was saved in another boot, or has no known age, is not
/// used.
public struct MachineBoot: Sendable, Hashable {
    /// Identifier of the boot, different for each boot.
    public let identity: String

    /// The current boot. Nil if the system does not provide its identifier.
    public static let current = read("/proc/sys/kernel/random/boot_id").flatMap(MachineBoot.init)

    init?(_ text: String) {
        let identity = String(text.prefix { !$0.isWhitespace })
        let isIdentity = identity.utf8.allSatisfy { ($0 &- 0x30 < 10) || ($0 &- 0x61 < 6) || $0 == 0x2D }
        guard isIdentity, identity.utf8.count == 36 else { return nil }
        self.identity = identity
    }

    /// Milliseconds since the boot, including time in which the machine was suspended. Nil if the system does not
    /// provide it.
    public static var uptime: Int64? { read("/proc/uptime").flatMap(uptime) }

    static func uptime(_ text: String) -> Int64? {
        guard let first = text.split(separator: " ").first, let seconds = Double(first), seconds >= 0 else {
            return nil
        }
        return Int64(exactly: (seconds * 1000).rounded())
    }

    private static func read(_ path: String) -> String? {
        guard let bytes = try? OpenFile(path, .readOnly).read(upTo: 256) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
