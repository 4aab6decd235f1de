import Quotas

/// The work of the one thread that has the connection: connect, log in, ask, and begin again after a failure.
final class StoreThread {
    private let settings: StoreSettings
    private let script: QuotaScript
    private let quotas: SharedQuotas
    private let report: (StoreFault?) -> Void
    private var backoff = StoreBackoff()
    private var isReported = false

    /// For the connection and for each answer, if requests do not wait longer.
    private static let patience = Duration.seconds(1)
    /// While there is nothing to do.
    private static let idle = Duration.seconds(60)

    init(
        _ settings: StoreSettings, _ script: QuotaScript, _ quotas: SharedQuotas,
        _ report: @escaping (StoreFault?) -> Void
    ) {
        self.settings = settings
        self.script = script
        self.quotas = quotas
        self.report = report
    }

    func run() {
        while !quotas.isStopped {
            do throws(StoreFailure) {
                let connection = try StoreConnection(to: settings, .quotas)
                let digest = try greet(connection)
                quotas.connected(true)
                try serve(connection, digest)
            } catch {
                refuseWaiting()
                tell(error.fault)
                pause(backoff.failed())
            }
        }
        refuseWaiting()
    }

    /// No question that came before has an answer.
    private func refuseWaiting() {
        quotas.connected(false)
        for question in quotas.takeQuestions() { quotas.answer(question, nil) }
    }

    private func tell(_ fault: StoreFault) {
        guard !isReported, !quotas.isStopped else { return }
        isReported = true
        report(fault)
    }

    /// It counts. That it takes connections says nothing: a replica does, and one that is out of memory.
    private func noteSuccess() {
        backoff.succeeded()
        if isReported { report(nil) }
        isReported = false
    }

    private func pause(_ time: Duration) {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end, !quotas.isStopped {
            _ = quotas.signal.wait(nil, writes: false, for: end - .now)
        }
    }

    // MARK: Beginning

    /// Logs in, chooses the database, and gives the script to the store.
    ///
    /// - Returns: the name by which the store knows the script.
    private func greet(_ connection: StoreConnection) throws(StoreFailure) -> [UInt8] {
        let script = [Array("SCRIPT".utf8), Array("LOAD".utf8), Array(QuotaScript.text.utf8)]
        let answers = try connection.answers(
            to: settings.greeting + [script], within: Self.patience, quotas.signal, while: { !quotas.isStopped })
        guard case .text(let digest)? = answers.last, digest.count == 40 else { throw StoreFailure(fault: .invalid) }
        return digest
    }

    // MARK: Asking

    /// Sends questions and takes answers until the connection fails or is no longer wanted.
    private func serve(_ connection: StoreConnection, _ digest: [UInt8]) throws(StoreFailure) {
        var pending = PendingQuestions()
        do throws(StoreFailure) {
            var isWritten = true
            while !quotas.isStopped {
                // All of them are kept before one is sent: if that fails, none is without an answer.
                for command in keep(quotas.takeQuestions(), in: &pending, digest) {
                    try connection.append(command)
                    isWritten = false
                }
                if !isWritten { isWritten = try connection.write() }
                let (canRead, _) = quotas.signal.wait(
                    connection.descriptor, writes: !isWritten, for: pending.wait(at: .now) ?? Self.idle)
                if canRead { try connection.read() }
                while let answer = try connection.takeAnswer() { try take(answer, &pending) }
                for question in pending.takeLate(at: .now) { quotas.answer(question, nil) }
                guard !pending.isStalled(at: .now, after: max(Self.patience, settings.timeout)) else {
                    throw StoreFailure(fault: .silent)
                }
            }
        } catch {
            quotas.connected(false)
            for question in pending.takeAll() { quotas.answer(question, nil) }
            throw error
        }
        for question in pending.takeAll() { quotas.answer(question, nil) }
    }

    /// The commands of questions, which wait for their answers from now on; one that cannot be asked has its answer at
    /// once.
    private func keep(_ questions: [StoreQuestion], in pending: inout PendingQuestions, _ digest: [UInt8])
        -> [[[UInt8]]]
    {
        questions.compactMap { question in
            guard let command = script.command(question.charges, digest: digest) else {
                quotas.answer(question, nil)
                return nil
            }
            pending.append(question, at: .now)
            return command
        }
    }

    private func take(_ answer: StoreValue, _ pending: inout PendingQuestions) throws(StoreFailure) {
        guard let (charges, question) = pending.takeFirst() else { throw StoreFailure(fault: .invalid) }
        // As after a restart that lost the script; it is given again to a new connection.
        if case .error(let text) = answer {
            // Before whoever asked hears of it: its next question is not for this connection.
            quotas.connected(false)
            if let question { quotas.answer(question, nil) }
            throw StoreFailure(fault: .refused(StoreFault.shown(text)))
        }
        let verdict = QuotaScript.verdict(answer, on: charges)
        if verdict == nil { quotas.connected(false) }
        if let question { quotas.answer(question, verdict) }
        guard verdict != nil else { throw StoreFailure(fault: .invalid) }
        noteSuccess()
    }
}
