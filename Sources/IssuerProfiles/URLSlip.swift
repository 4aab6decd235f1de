import NetworkNames

/// What an operator probably meant by a text that stands where the URL of a document is expected and is none.
public struct URLSlip: Sendable, Hashable {
    private let text: String

    public init(_ text: String) {
        self.text = text
    }

    /// What to write instead.
    public var hint: String { particularHint ?? Self.general }

    /// What to write instead, where the text shows what was meant.
    public var particularHint: String? {
        if text.lowercased().hasPrefix("file:") {
            return "write an https URL; a key set in a file is named by `jwks_file: PATH`"
        }
        if let placeholder { return "write your own value in place of `\(placeholder)`" }
        if host.utf8.contains(UInt8(ascii: "*")) { return "write one host, without `*`: nothing here stands for many" }
        return withoutFragment
    }

    /// What to write in place of any text that is no URL.
    public static let general = "write `https://host/path`, without a fragment"

    /// `{tenantid}` or `<tenant>`, as documentation and some metadata have it.
    private var placeholder: Substring? {
        for (open, close) in [("{", "}"), ("<", ">")] {
            guard let start = text.firstRange(of: open), let end = text[start.upperBound...].firstRange(of: close)
            else { continue }
            return text[start.lowerBound..<end.upperBound]
        }
        return nil
    }

    /// What stands between `//` and the next slash.
    private var host: Substring {
        guard let slashes = text.firstRange(of: "//") else { return "" }
        return text[slashes.upperBound...].prefix { $0 != "/" }
    }

    /// nil: there is none, or what stands before it is no URL either.
    private var withoutFragment: String? {
        guard let sign = text.firstIndex(of: "#") else { return nil }
        let rest = String(text[..<sign])
        return HTTPURL(rest).map { _ in "write it without a fragment: `\(rest)`" }
    }
}
