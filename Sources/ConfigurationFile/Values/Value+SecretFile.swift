extension Value {
    /// Reads a file that holds a secret. Warns if others may read it. Nil if the file is absent or cannot be read,
    /// which is reported.
    ///
    /// - Parameter path: this value's text.
    func secretFile(_ path: String, longest: Int) -> FileOnDisk? {
        let resolved = reading.resolve(path)
        if let absence = FileOnDisk.absence(at: resolved, writtenAs: path) { return refuse(absence) }
        guard let file = try? FileOnDisk(at: resolved, longest: longest) else {
            return refuse("`\(path)` cannot be read")
        }
        if file.isReadableByOthers {
            warn(
                "everyone on this machine may read `\(path)`", hint: "take the permission away: chmod o-r"
            )
        }
        return file
    }

    /// Reads the secret from the file whose path this value is. A line break at the end is removed. Nil after an error,
    /// which is reported.
    ///
    /// - Parameter lengths: accepted lengths, in bytes.
    func secret(called name: String, in lengths: ClosedRange<Int>) -> [UInt8]? {
        let lineEnd = [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
        guard let path = someText(expected: "a path"),
            let file = secretFile(path, longest: lengths.upperBound + lineEnd.count)
        else { return nil }
        var secret = file.bytes
        if secret.last == lineEnd.last { secret.removeLast(secret.suffix(2).elementsEqual(lineEnd) ? 2 : 1) }
        guard lengths.contains(secret.count) else {
            return refuse(
                "the \(name) in `\(path)` has \(secret.count) bytes, and \(lengths.lowerBound) to \(lengths.upperBound) are needed",
                hint: "make one: openssl rand -hex 32 > \(path)")
        }
        return secret
    }
}
