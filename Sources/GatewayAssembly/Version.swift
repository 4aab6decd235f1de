import CBuildInfo

/// Version of this Bearward.
public enum Version {
    public static let number = "0.9.0"

    /// The commit that it was built from: 12 hexadecimal digits, and `+` if files had changed since; `unknown` where
    /// there was no repository.
    public static let commit = String(
        decoding: (0..<64).map { UInt8(bitPattern: Int8(bearward_commit_character($0))) }.prefix { $0 != 0 },
        as: UTF8.self)

    public static let text = "\(number) (\(commit))"
}
