import Foundation

/// The workers of a gateway, as the system shows them.
struct WorkerProcesses: Sendable {
    let gateway: BearwardProcess

    /// Workers that have not exited, the oldest first.
    var living: [Int32] {
        let pid = gateway.process.processIdentifier
        let children = try? String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
        return (children ?? "").split(separator: " ").compactMap { Int32($0) }.filter(Self.isLiving)
    }

    /// Whether a process is there, stopped as it may be, and not only its remains.
    static func isLiving(_ pid: Int32) -> Bool {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return false }
        // The name in parentheses may have anything in it.
        let state = text.split(separator: ")").last?.split(separator: " ").first
        return state.map { $0 != "Z" && $0 != "X" } ?? false
    }

    /// Whether a process runs the worker's program. Until then its parent waits for it, and would wait for one that is
    /// stopped.
    private static func hasBegun(_ pid: Int32) -> Bool {
        let command = (try? String(contentsOfFile: "/proc/\(pid)/cmdline", encoding: .utf8)) ?? ""
        return command.split(separator: "\0").dropFirst().first == "worker"
    }

    /// A worker that is none of these, as soon as there is one.
    func next(besides known: [Int32]) async -> Int32? {
        await onThread {
            let end = ContinuousClock.now + .seconds(20)
            while ContinuousClock.now < end {
                if let new = living.first(where: { !known.contains($0) && Self.hasBegun($0) }) { return new }
                usleep(200)
            }
            return nil
        }
    }
}
