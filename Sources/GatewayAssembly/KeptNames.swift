import KeySetFetching
import Logging
import Logs
import ReverseProxy

/// Keeps what name servers said of upstreams' names for the process after this one: in the state directory, or in a
/// file that the supervisor holds.
///
/// Nothing here fails a request. What is broken is ignored, what cannot be written is left, and each is a warning.
actor KeptNames {
    private enum Place {
        case directory(StateDirectory)
        case inherited(InheritedFile)
    }

    /// In the state directory.
    static let fileName = "names.json"
    /// From the start to the first look at what there is to save, and from one that saved something to the next.
    private static let (firstInterval, interval): (Duration, Duration) = (.seconds(1), .seconds(5))

    /// Nil if names are kept nowhere.
    private let place: Place?
    private let boot = MachineBoot.current
    private let logger: Logger
    private var saved = SavedNames()
    /// The last fault of the place, so that it is logged once.
    private var problem: StateFileFailure?
    private var hasEnded = false

    /// - Parameters:
    ///   - directory: the state directory, if there is one.
    ///   - descriptor: of the supervisor's file; used only without a directory.
    init(directory: String?, descriptor: CInt?, logger: Logger) {
        if let directory {
            place = .directory(StateDirectory(path: directory))
        } else {
            place = descriptor.map { .inherited(InheritedFile(descriptor: $0, limit: SavedNames.byteLimit)) }
        }
        self.logger = logger
    }

    /// Answers that the process before left, and the present time by which they are judged.
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
            // The machine was started since, and that is no fault.
        } catch {
            logger.warning("Saved addresses of upstreams' names ignored", [.file: .text(text), .cause: "\(error)"])
        }
        return (saved, uptime)
    }

    /// Saves what is news, until it is cancelled.
    func run(_ gateway: Gateway) async {
        guard place != nil, boot != nil else { return }
        var interval = Self.firstInterval
        while !Task.isCancelled {
            try? await Task.sleep(for: interval)
            guard !Task.isCancelled else { return }
            interval = await save(gateway) ? Self.interval : Self.firstInterval
        }
    }

    /// Saves for the last time: from now on another process does.
    func end(_ gateway: Gateway) async {
        await save(gateway)
        hasEnded = true
    }

    @discardableResult
    private func save(_ gateway: Gateway) async -> Bool {
        guard !hasEnded, let place, let boot, let uptime = MachineBoot.uptime else { return false }
        let names = gateway.savedNames(at: uptime)
        guard names.isNews(after: saved) else { return false }
        // Also if it fails: what is news then is tried again.
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
