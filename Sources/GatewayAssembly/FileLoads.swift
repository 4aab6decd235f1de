import Administration
import KeySetFetching
import KeySets
import TokenVerification

/// History of a file that is read again and again: the one in force, or that of `--shadow`.
struct FileLoads {
    private(set) var counts = ReloadCounts()
    /// Time when it was put in place. Nil if it never was.
    private(set) var loadedAt: NumericDate?
    /// Reason why a later one was not put in place. Nil if the last one was.
    private(set) var lastError: String?

    /// - Parameter loadedAt: now if it is in place already.
    init(loadedAt: NumericDate? = nil) {
        self.loadedAt = loadedAt
    }

    mutating func noteSuccess() {
        counts.succeeded += 1
        (loadedAt, lastError) = (Moment.now.date, nil)
    }

    /// Notes that the file was not put in place; what was, stays.
    mutating func noteRefusal(_ cause: String) {
        counts.refused += 1
        lastError = cause
    }

    /// Report of it in `/api/configuration`.
    func status(generation: Int) -> ConfigurationStatus.File {
        ConfigurationStatus.File(generation: generation, loadedAt: loadedAt, lastError: lastError)
    }
}
