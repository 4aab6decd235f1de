/// What other programs have in place of a path.
enum PathSlip {
    /// A word; a file of that name is written with a slash.
    case word
    /// An address of a log, or a path with the name of a format behind it.
    case other

    private static let words: Set<String> = [
        "on", "true", "yes", "stdout", "stderr", "json", "text", "combined", "common", "main", "syslog", "journal",
        "journald", "console",
        "file",
    ]
    private static let addresses = ["syslog:", "http:", "https:", "tcp:", "udp:", "unix:", "fluentd:", "file:"]

    /// Nil for a path.
    init?(_ text: String) {
        let folded = text.lowercased()
        if folded.isNegation || Self.words.contains(folded) {
            self = .word
        } else if Self.addresses.contains(where: folded.hasPrefix) || Self.hasFormat(folded) {
            self = .other
        } else {
            return nil
        }
    }

    /// Whether it ends as nginx's `access_log`: `/var/log/access.log combined`.
    private static func hasFormat(_ text: String) -> Bool {
        let parts = text.split(separator: " ")
        return parts.count > 1
            && parts.last.map { words.contains(String($0)) || String($0).isNegation || $0.contains("=") } == true
    }
}
