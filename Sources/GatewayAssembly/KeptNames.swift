import KeySetFetching
import Logging
import Logs
import ReverseProxy

/// Saves the addresses of upstreams' names for the next process: in the state directory, or in a file that the
/// supervisor holds.
///
/// Nothing here fails a request. Invalid data is ignored and failed writes are skipped, each with a warning.
actor KeptNames {
    private enum Place {
        case directory(StateDirectory)
        case inherited(InheritedFile)
    }

    /// Name of the file in the state directory.
    static let fileName = "names.json"
    /// Intervals of checks for new addresses: the first until there was something to save, the other after each save.
    private static let (firstInterval, interval): (Duration, Duration) = (.seconds(1), .seconds(5))

    /// Location of the saved addresses. Nil if they are not saved.
    private let place: Place?
    private let boot = MachineBoot.current
    private let logger: Logger
    private var saved = SavedNames()
    /// Last failure to write, so that each is logged only once. Nil if the last write succeeded, or nothing was written
    /// yet.
    private var problem: StateFileFailure?
    private var hasEnded = false

    /// Chooses the location and does not read it yet.
    ///
    /// - Parameters:
    ///   - directory: path of the state directory. Nil if there is none.
    ///   - descriptor: descriptor of the supervisor's file, used only without a directory.
    init(directory: String?, descriptor: CInt?, logger: Logger) {
        if let directory {
            place = .directory(StateDirectory(path: directory))
        } else {
            place = descriptor.map { .inherited(InheritedFile(descriptor: $0, limit: SavedNames.byteLimit)) }
        }
        self.logger = logger
    }

    /// Reads the addresses that the previous process saved, and the machine's present uptime, by which their age is
    /// judged.
    func restored() async -> (names: SavedNames, uptime: Int64) {
        guard let place, let boot, let uptime = MachineBoot.uptime else { return (SavedNames(), 0) }
        do {
            let bytes: [UInt8]? =
                switch place {
                case .directory(let directory):
                    try await directory.exists()
                        ? try await directory.read(Self.fileName, limit: SavedNames.byteLimit) : nil
                case .inherited(let file): try await file.read()
                }
            if let bytes { saved = try SavedNames(parsing: bytes.span, boot: boot.identity, at: uptime) }
        } catch SavedNamesRejection.otherBoot {
            // The machine was restarted since, which is not a fault.
        } catch {
            logger.warning("Saved addresses of upstreams' names ignored", [.file: .text(text), .cause: "\(error)"])
        }
        return (saved, uptime)
    }

    /// Saves changed addresses until the task is cancelled.
    func run(_ gateway: Gateway) async {
        guard place != nil, boot != nil else { return }
        var interval = Self.firstInterval
        while !Task.isCancelled {
            try? await Task.sleep(for: interval)
            guard !Task.isCancelled else { return }
            interval = await save(gateway) ? Self.interval : Self.firstInterval
        }
    }

    /// Saves for the last time; from now on another process saves.
    func end(_ gateway: Gateway) async {
        await save(gateway)
        hasEnded = true
    }

    @discardableResult
    private func save(_ gateway: Gateway) async -> Bool {
        guard !hasEnded, let place, let boot, let uptime = MachineBoot.uptime else { return false }
        let names = gateway.savedNames(at: uptime)
        guard names.isNews(after: saved) else { return false }
        // Set even if writing fails: later changes are written again.
        saved = names
        let text = names.text(boot: boot.identity)
        do throws(StateFileFailure) {
            switch place {
            case .directory(let directory):
                try await directory.create()
                try await directory.write(text, to: Self.fileName)
            case .inherited(let file): try await file.write(text)
            }
            problem = nil
        } catch {
            if problem != error {
                logger.warning(
                    "Addresses of upstreams' names could not be saved", [.file: .text(self.text), .cause: "\(error)"])
            }
            problem = error
        }
        return true
    }

    private var text: String {
        switch place {
        case .directory(let directory): "\(directory.path)/\(Self.fileName)"
        case .inherited, nil: "the supervisor's file"
        }
    }
}
