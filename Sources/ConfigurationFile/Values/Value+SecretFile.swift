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
            warn("everyone on this machine may read the secret in `\(path)`", hint: "take the permission away: chmod o-r")
        }
        return file
    }
}
