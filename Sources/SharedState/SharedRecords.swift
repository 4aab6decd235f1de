import Dispatch
import Files
import Synchronization

/// Named texts that several processes share through a Redis or Valkey server. For each name the greatest text is kept,
/// compared by its first bytes. A text that one process writes is returned by the next read of the others.
///
/// The store is not trusted: readers must validate each text. One command runs at a time, on a thread that is used only
/// for that.
public final class SharedRecords: RecordStore {
    private struct Session {
        let connection: StoreConnection
        /// Digests by which the store identifies the two scripts.
        let (reading, writing): ([UInt8], [UInt8])
    }

    private let settings: StoreSettings
    private let scripts: RecordScripts
    private let queue = DispatchQueue(label: "shared records")
    private let session = Mutex<Session?>(nil)
    private let wakeup = Wakeup()

    /// Timeout for the connection, and for each answer.
    private static let patience = Duration.seconds(1)
    /// Most texts in one call of ``write(_:)``.
    public static let pageSize = RecordScripts.pageSize

    /// Creates the client; it connects at the first command.
    ///
    /// - Parameters:
    ///   - name: the name of the shared collection.
    ///   - orderLength: number of bytes at the beginning of a text that are compared to find the greater of two.
    public init(_ settings: StoreSettings, name: String, orderLength: Int) {
        self.settings = settings
        scripts = RecordScripts(name, orderLength: orderLength)
    }

    /// Reads the next page of records written after the cursor.
    public func read(after cursor: RecordCursor?) async throws(StoreFault) -> RecordPage {
        let answer = try await answer { scripts, session in scripts.reading(after: cursor, digest: session.reading) }
            .get()
        guard let page = RecordScripts.page(answer, after: cursor) else { throw .invalid }
        return page
    }

    /// Writes at most ``pageSize`` texts.
    public func write(_ records: [SharedRecord]) async throws(StoreFault) {
        let answer = try await answer { scripts, session in scripts.writing(records, digest: session.writing) }.get()
        guard RecordScripts.isWritten(answer) else { throw .invalid }
    }

    // MARK: The thread's side

    private func answer(
        to command: @escaping @Sendable (RecordScripts, borrowing Session) -> [[UInt8]]
    ) async -> Result<StoreValue, StoreFault> {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.ask(command)) }
        }
    }

    private func ask(_ command: (RecordScripts, borrowing Session) -> [[UInt8]]) -> Result<StoreValue, StoreFault> {
        session.withLock { session in
            do throws(StoreFailure) {
                let present: Session
                if let known = session { present = known } else { present = try Self.greeted(settings, wakeup) }
                session = nil
                let answers = try present.connection.answers(
                    to: [command(scripts, present)], within: Self.patience, wakeup)
                session = present
                return answers.first.map { .success($0) } ?? .failure(.invalid)
            } catch {
                session = nil
                return .failure(error.fault)
            }
        }
    }

    private static func greeted(_ settings: StoreSettings, _ wakeup: Wakeup) throws(StoreFailure) -> Session {
        let connection = try StoreConnection(to: settings, .records)
        let scripts = [RecordScripts.read, RecordScripts.write].map {
            [Array("SCRIPT".utf8), Array("LOAD".utf8), Array($0.utf8)]
        }
        let answers = try connection.answers(to: settings.greeting + scripts, within: patience, wakeup)
        guard answers.count >= 2, case .text(let reading) = answers[answers.count - 2],
            case .text(let writing)? = answers.last
        else {
            throw StoreFailure(fault: .invalid)
        }
        return Session(connection: connection, reading: reading, writing: writing)
    }
}
