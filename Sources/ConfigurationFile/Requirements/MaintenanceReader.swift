import AccessControl
import TokenVerification

/// Reads `maintenance`.
enum MaintenanceReader {
    /// Reads the maintenance. Nil after an error, which is reported.
    static func read(_ value: Value) -> Maintenance? {
        guard let section = Section(value, of: MaintenanceKeys.self) else { return nil }
        let (until, retryAfter) = (section.read(\.until), section.read(\.retryAfter))
        guard !until.isWrong, let retryAfter = retryAfter.value else { return nil }
        return Maintenance(until: until.value, retryAfter: retryAfter)
    }

    /// Reads `until`. Notes if the time is over. Nil after an error, which is reported.
    static func end(_ value: Value) -> NumericDate? {
        guard let time = ModeReader.time(value) else { return nil }
        if value.reading.now >= time {
            value.noteOfTime("this time is over: the maintenance has no effect", hint: "take `maintenance` out")
        }
        return time
    }
}
