/// Reason why a path in a request or in the configuration has no canonical form.
public enum PathRejection: Error, Hashable, Sendable, CaseIterable {
    /// The path does not begin with "/".
    case notAbsolute
    /// The path is longer than `RequestPath.longestPath`.
    case tooLong
    /// A byte 0x00–0x1F or 0x7F, raw or percent-encoded.
    case controlByte
    /// A space, `#` or `?`. In the configuration also characters that may be an attempt at a pattern: `"`, `<`, `>`,
    /// `^`, a grave accent, `{`, `|`, `}`.
    case forbiddenCharacter
    /// A `\`, which some readers take for "/".
    case backslash
    /// A `%` that is not followed by two hexadecimal digits.
    case invalidEscape
    /// `%2F` where encoded slashes are refused. Some readers take it for "/".
    case encodedSlash
    /// `%5C`, which some readers take for "/".
    case encodedBackslash
    /// `%25` before two hexadecimal digits, unless encoded slashes are opaque. A second decoding would change the path.
    case doubleEncoding
    /// A segment that is "." or "..": plain, percent-encoded or before path parameters.
    case dotSegment
    /// Two slashes in a row, or with only path parameters between them.
    case emptySegment
    /// A segment whose bytes, after decoding, are not well-formed UTF-8.
    case notUTF8
}
