import Foundation

/// Figures of a gateway's worker, as the system reports them.
struct ProcessFigures {
    private let directory: String
    let pid: Int32

    static let isSanitized = ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains {
        ProcessInfo.processInfo.environment[$0] != nil
    }

    init(_ process: BearwardProcess) {
        let supervisor = process.process.processIdentifier
        let children =
            (try? String(contentsOfFile: "/proc/\(supervisor)/task/\(supervisor)/children", encoding: .utf8)) ?? ""
        pid = children.split(separator: " ").first.flatMap { Int32($0) } ?? supervisor
        directory = "/proc/\(pid)"
    }

    var descriptors: Int { ((try? FileManager.default.contentsOfDirectory(atPath: "\(directory)/fd")) ?? []).count }

    /// Resident memory; 0 under a sanitizer, whose own memory hides the gateway's.
    var residentKiB: Int { Self.isSanitized ? 0 : status(/VmRSS:\s+(\d+) kB/) }
    var virtualKiB: Int { status(/VmSize:\s+(\d+) kB/) }

    private func status(_ line: Regex<(Substring, Substring)>) -> Int {
        let status = (try? String(contentsOfFile: "\(directory)/status", encoding: .utf8)) ?? ""
        return status.firstMatch(of: line).flatMap { Int($0.output.1) } ?? 0
    }

    /// State of each thread, by the letters of `proc(5)`.
    var threadStates: [Character] {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "\(directory)/task")) ?? []
        return threads.compactMap { thread in
            let text = (try? String(contentsOfFile: "\(directory)/task/\(thread)/stat", encoding: .utf8)) ?? ""
            return text.drop { $0 != ")" }.dropFirst(2).first
        }
    }

    /// User and system time so far, in seconds.
    var cpuSeconds: Double {
        let text = (try? String(contentsOfFile: "\(directory)/stat", encoding: .utf8)) ?? ""
        // The process name, in parentheses, may contain spaces.
        let fields = text.drop { $0 != ")" }.split(separator: " ")
        guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Share of CPU time used within a span: a busy loop uses nearly all of it.
    func processorShare(over span: Duration) async throws -> Double {
        let (time, begin) = (cpuSeconds, ContinuousClock.now)
        try await Task.sleep(for: span)
        return (cpuSeconds - time) / ((ContinuousClock.now - begin) / .seconds(1))
    }
}
