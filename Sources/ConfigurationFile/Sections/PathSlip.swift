/// Text that other programs accept instead of the path of a log.
enum PathSlip {
    /// Word such as `on` or `stdout`. A file of that name must be written with a slash.
    case word
    /// Address of a log, or a path followed by the name of a format.
    case other

    private static let words: Set<String> = [
        "on", "true", "yes", "stdout", "stderr", "json", "text", "combined", "common", "main", "syslog", "journal",
        "journald", "console",
        "file",
    ]
    private static let addresses = ["syslog:", "http:", "https:", "tcp:", "udp:", "unix:", "fluentd:", "file:"]

    /// Recognizes such a text. Nil for a path.
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

    /// True if a format follows the path as in nginx's `access_log`: `/var/log/access.log combined`.
    private static func hasFormat(_ text: String) -> Bool {
        let parts = text.split(separator: " ")
        return parts.count > 1
            && parts.last.map { words.contains(String($0)) || String($0).isNegation || $0.contains("=") } == true
    }
}
