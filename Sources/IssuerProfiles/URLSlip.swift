import NetworkNames

/// Mistake in the configuration: a text that is not a URL, where the URL of a document is expected.
public struct URLSlip: Sendable, Hashable {
    private let text: String

    public init(_ text: String) {
        self.text = text
    }

    /// Advice on what to write instead.
    public var hint: String { particularHint ?? Self.general }

    /// Advice for this particular text. Nil if the text does not show what was meant.
    public var particularHint: String? {
        if text.lowercased().hasPrefix("file:") {
            return "write an https URL; a key set in a file is named by `jwks_file: PATH`"
        }
        if let placeholder { return "write your own value in place of `\(placeholder)`" }
        if host.utf8.contains(UInt8(ascii: "*")) { return "write one host, without `*`: nothing here stands for many" }
        return withoutFragment
    }

    /// Advice for any text that is not a URL.
    public static let general = "write `https://host/path`, without a fragment"

    /// A placeholder copied from documentation or metadata, such as `{tenantid}` or `<tenant>`. Nil if there is none.
    private var placeholder: Substring? {
        for (open, close) in [("{", "}"), ("<", ">")] {
            guard let start = text.firstRange(of: open), let end = text[start.upperBound...].firstRange(of: close)
            else { continue }
            return text[start.lowerBound..<end.upperBound]
        }
        return nil
    }

    /// Text between `//` and the next slash. Empty if there is no `//`.
    private var host: Substring {
        guard let slashes = text.firstRange(of: "//") else { return "" }
        return text[slashes.upperBound...].prefix { $0 != "/" }
    }

    /// Advice to drop the fragment. Nil if there is no fragment, or if the text before it is not a URL either.
    private var withoutFragment: String? {
        guard let sign = text.firstIndex(of: "#") else { return nil }
        let rest = String(text[..<sign])
        return HTTPURL(rest).map { _ in "write it without a fragment: `\(rest)`" }
    }
}
