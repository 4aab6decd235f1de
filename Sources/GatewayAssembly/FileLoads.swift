import Administration
import KeySetFetching
import KeySets
import TokenVerification

/// History of reading a configuration file: the one in force, or that of `--shadow`.
struct FileLoads {
    private(set) var counts = ReloadCounts()
    /// Time when the present content was put in force. Nil if none ever was.
    private(set) var loadedAt: NumericDate?
    /// Reason why the last content was refused. Nil if it was put in force.
    private(set) var lastError: String?

    /// Starts the history.
    ///
    /// - Parameter loadedAt: present time if the file is in force already. Otherwise nil.
    init(loadedAt: NumericDate? = nil) {
        self.loadedAt = loadedAt
    }

    mutating func noteSuccess() {
        counts.succeeded += 1
        (loadedAt, lastError) = (Moment.now.date, nil)
    }

    /// Counts a refused content; the earlier one stays in force.
    mutating func noteRefusal(_ cause: String) {
        counts.refused += 1
        lastError = cause
    }

    /// Description of the file for `/api/configuration`.
    func status(generation: Int) -> ConfigurationStatus.File {
        ConfigurationStatus.File(generation: generation, loadedAt: loadedAt, lastError: lastError)
    }
}
