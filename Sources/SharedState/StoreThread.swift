import Quotas

/// Work of the thread that owns the connection: connect, log in, send questions, and reconnect after a failure.
final class StoreThread {
    private let settings: StoreSettings
    private let script: QuotaScript
    private let quotas: SharedQuotas
    private let report: (StoreFault?) -> Void
    private var backoff = StoreBackoff()
    private var isReported = false

    /// Timeout for the connection and for each answer, unless requests wait longer.
    private static let patience = Duration.seconds(1)
    /// Longest wait while there is nothing to do.
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

    /// Answers all waiting questions with nil, since there is no connection.
    private func refuseWaiting() {
        quotas.connected(false)
        for question in quotas.takeQuestions() { quotas.answer(question, nil) }
    }

    private func tell(_ fault: StoreFault) {
        guard !isReported, !quotas.isStopped else { return }
        isReported = true
        report(fault)
    }

    /// Notes that the store counted a request. A mere connection proves nothing: a replica accepts one too, and so does
    /// a server that is out of memory.
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

    // MARK: Connecting

    /// Logs in, selects the database, and loads the script.
    ///
    /// - Returns: the digest by which the store identifies the script.
    private func greet(_ connection: StoreConnection) throws(StoreFailure) -> [UInt8] {
        let script = [Array("SCRIPT".utf8), Array("LOAD".utf8), Array(QuotaScript.text.utf8)]
        let answers = try connection.answers(
            to: settings.greeting + [script], within: Self.patience, quotas.signal, while: { !quotas.isStopped })
        guard case .text(let digest)? = answers.last, digest.count == 40 else { throw StoreFailure(fault: .invalid) }
        return digest
    }

    // MARK: Questions and answers

    /// Sends questions and receives answers until the connection fails or is stopped.
    private func serve(_ connection: StoreConnection, _ digest: [UInt8]) throws(StoreFailure) {
        var pending = PendingQuestions()
        do throws(StoreFailure) {
            var isWritten = true
            while !quotas.isStopped {
                // All questions are recorded before one is sent, so that none stays unanswered if sending fails.
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

    /// Builds the commands of questions, and records the questions as pending. A question that cannot be sent is
    /// answered with nil at once.
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
        // For example after a restart that lost the script; it is loaded again on a new connection.
        if case .error(let text) = answer {
            // Before the answer, so that the asker's next question does not go to this connection.
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
