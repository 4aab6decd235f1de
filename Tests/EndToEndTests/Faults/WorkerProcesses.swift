import Foundation

/// The workers of a gateway, as the system reports them.
struct WorkerProcesses: Sendable {
    let gateway: BearwardProcess

    /// Process IDs of the workers that have not exited, the oldest first.
    var living: [Int32] {
        let pid = gateway.process.processIdentifier
        let children = try? String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
        return (children ?? "").split(separator: " ").compactMap { Int32($0) }.filter(Self.isLiving)
    }

    /// True if a process exists, running or stopped, and is not a zombie.
    static func isLiving(_ pid: Int32) -> Bool {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return false }
        // The process name in parentheses may contain anything.
        let state = text.split(separator: ")").last?.split(separator: " ").first
        return state.map { $0 != "Z" && $0 != "X" } ?? false
    }

    /// True if a process already runs the worker's program. Its parent waits for that, and would wait forever for a
    /// process that was stopped earlier.
    private static func hasBegun(_ pid: Int32) -> Bool {
        let command = (try? String(contentsOfFile: "/proc/\(pid)/cmdline", encoding: .utf8)) ?? ""
        return command.split(separator: "\0").dropFirst().first == "worker"
    }

    /// Process ID of a worker other than the known ones, as soon as there is one.
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
