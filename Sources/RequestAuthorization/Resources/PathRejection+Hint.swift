import AccessControl

extension PathRejection {
    /// Text for the operator: the rule for canonical paths that the request's path breaks. Nil for a character that the
    /// head parser already rejects.
    var hint: String? {
        switch self {
        case .forbiddenCharacter: nil
        case .notAbsolute: "The path does not begin with `/`."
        case .tooLong: "The path is longer than \(RequestPath.longestPath) bytes."
        case .controlByte: "The path has a control character, as it is or as `%XX`."
        case .backslash: "The path has a `\\`, which some servers read as `/`."
        case .invalidEscape: "The path has a `%` without two hexadecimal digits behind it."
        case .encodedSlash:
            """
            The path has `%2F`, which some servers read as `/`. \
            It is refused unless the resource says `encoded_slashes: keep` or `opaque`.
            """
        case .encodedBackslash: "The path has `%5C`, which some servers read as `/`."
        case .doubleEncoding:
            """
            The path has `%25` before two hexadecimal digits: a server that decodes twice reads another path. \
            It is refused unless the resource says `encoded_slashes: opaque`.
            """
        case .dotSegment: "The path has a segment `.` or `..`, as it is or as `%2E`."
        case .emptySegment: "The path has two slashes in a row, which some servers read as one."
        case .notUTF8: "The path has bytes above 0x7F, as they are or as `%XX`, that are no UTF-8."
        }
    }

    /// Hint for a `;` in the path, which depends on the resource's `path_parameters`.
    static let parametersHint = "The path has a `;`, which is refused unless the resource says `path_parameters: keep`."
}
