extension Value {
    /// A file that holds a secret; warns if others may read it.
    ///
    /// - Parameter path: this value's text.
    func secretFile(_ path: String, longest: Int) -> FileOnDisk? {
        let resolved = reading.resolve(path)
        if let absence = FileOnDisk.absence(at: resolved, writtenAs: path) {
            report(absence)
            return nil
        }
        guard let file = try? FileOnDisk(at: resolved, longest: longest) else {
            report("`\(path)` cannot be read")
            return nil
        }
        if file.isReadableByOthers {
            warn(
                "everyone on this machine may read the secret in `\(path)`", hint: "take the permission away: chmod o-r"
            )
        }
        return file
    }

    /// The bytes of a file with a secret, without a line break at their end; up to two more than the longest.
    func secretLine(_ path: String, longest: Int) -> [UInt8]? {
        let lineEnd = [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
        guard let file = secretFile(path, longest: longest + lineEnd.count) else { return nil }
        var secret = file.bytes
        if secret.last == lineEnd.last { secret.removeLast(secret.suffix(2).elementsEqual(lineEnd) ? 2 : 1) }
        return secret
    }
}
