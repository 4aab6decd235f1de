import Files
import SystemPackage

/// The present boot of the machine, and the time since: what was kept in another boot, or has no age, is not used.
public struct MachineBoot: Sendable, Hashable {
    /// Another one with each boot.
    public let identity: String

    /// Nil if the system does not say.
    public static let current = read("/proc/sys/kernel/random/boot_id").flatMap(MachineBoot.init)

    init?(_ text: String) {
        let identity = String(text.prefix { !$0.isWhitespace })
        let isIdentity = identity.utf8.allSatisfy { ($0 &- 0x30 < 10) || ($0 &- 0x61 < 6) || $0 == 0x2D }
        guard isIdentity, identity.utf8.count == 36 else { return nil }
        self.identity = identity
    }

    /// Milliseconds since the boot, those included in which the machine slept; nil if the system does not say.
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
