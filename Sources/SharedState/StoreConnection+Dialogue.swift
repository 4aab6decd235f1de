import Files

extension StoreConnection {
    /// Sends commands and waits for the answers to all of them. An error answer to any of them is a failure.
    ///
    /// - Parameter isWanted: called repeatedly while waiting; false stops the wait.
    func answers(
        to commands: [[[UInt8]]], within patience: Duration, _ wakeup: Wakeup,
        while isWanted: () -> Bool = { true }
    ) throws(StoreFailure) -> [StoreValue] {
        for command in commands { try append(command) }
        let end = ContinuousClock.now + patience
        var (answers, isWritten) = ([StoreValue](), false)
        while answers.count < commands.count {
            guard ContinuousClock.now < end, isWanted() else { throw StoreFailure(fault: .silent) }
            let (canRead, canWrite) = wakeup.wait(descriptor, writes: !isWritten, for: end - .now)
            if canWrite, !isWritten { isWritten = try write() }
            if canRead { try read() }
            while answers.count < commands.count, let answer = try takeAnswer() {
                if case .error(let text) = answer { throw StoreFailure(fault: .refused(StoreFault.shown(text))) }
                answers.append(answer)
            }
        }
        return answers
    }
}

extension StoreSettings {
    /// Commands that log in and select the database.
    var greeting: [[[UInt8]]] {
        let login = password.map { password in
            [[Array("AUTH".utf8)] + (user.map { [Array($0.utf8)] } ?? []) + [password]]
        }
        return (login ?? []) + [[Array("SELECT".utf8), Array("\(database)".utf8)]]
    }
}

extension StoreFault {
    /// Error text of the store, cut for the log.
    static func shown(_ text: String) -> String { String(text.prefix(200)) }
}
