#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Columns and rows of a terminal.
public struct TerminalSize: Sendable, Hashable {
    public let columns: Int
    public let rows: Int

    public init(columns: Int, rows: Int) {
        (self.columns, self.rows) = (columns, rows)
    }

    /// Size of a terminal that does not know its own.
    public static let usual = TerminalSize(columns: 80, rows: 24)

    /// Size of the terminal that standard output is, or ``usual``.
    public static var ofStandardOutput: TerminalSize {
        var size = winsize()
        // SAFETY: the call writes one `winsize` (ioctl_tty(2)).
        guard unsafe ioctl(STDOUT_FILENO, .init(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return usual
        }
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
}
