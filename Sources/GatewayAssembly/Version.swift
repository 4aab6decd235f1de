import CBuildInfo

/// Version of this build of Bearward.
public enum Version {
    public static let number = "0.9.0"

    /// The commit it was built from: 12 hexadecimal digits, followed by `+` if files had changed since. `unknown` if it
    /// was built outside a repository.
    public static let commit = String(
        decoding: (0..<64).map { UInt8(bitPattern: Int8(bearward_commit_character($0))) }.prefix { $0 != 0 },
        as: UTF8.self)

    public static let text = "\(number) (\(commit))"
}
