import FoundationEssentials
import Glibc
import MetricFamilies
import TokenVerification

/// The system's figures for this process (`proc(5)`), exported under the names of the Prometheus client libraries.
public struct ProcessStatistics: Sendable, Hashable {
    public let cpuSeconds: Double
    public let residentBytes: Int
    public let virtualBytes: Int
    public let openDescriptors: Int
    /// Limit on open descriptors. Nil if there is none.
    public let descriptorLimit: Int?
    /// Start of the process, in seconds since 1970.
    public let startTime: Double

    /// Metrics under the names that all Prometheus client libraries use.
    public var families: [MetricFamily] {
        let families: [MetricFamily] = [
            .counter(
                "process_cpu_seconds_total", "Processor time of the worker process, of user and system, in seconds.",
                [MetricFamily.Sample(cpuSeconds)]),
            .gauge(
                "process_resident_memory_bytes", "Memory of the worker process that is resident, in bytes.",
                residentBytes),
            .gauge("process_virtual_memory_bytes", "Address space of the worker process, in bytes.", virtualBytes),
            .gauge("process_open_fds", "Open file descriptors of the worker process.", openDescriptors),
            .gauge("process_start_time_seconds", "When the worker process started, in seconds since 1970.", startTime),
        ]
        guard let descriptorLimit else { return families }
        return families + [
            .gauge("process_max_fds", "Most file descriptors that the worker process may have open.", descriptorLimit)
        ]
    }
}

extension ProcessStatistics {
    /// - Parameter root: Mount point of `proc`.
    /// - Returns: Nil if `proc` is not mounted.
    public init?(root: String = "/proc") {
        // The name, in brackets, may contain any characters.
        guard let status = Self.text("\(root)/self/stat"), let name = status.lastIndex(of: ")"),
            let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "\(root)/self/fd").count
        else { return nil }
        let fields = status[name...].dropFirst().split(whereSeparator: \.isWhitespace).map { Int($0) ?? 0 }
        guard fields.count > Field.residentPages.rawValue else { return nil }
        func field(_ field: Field) -> Int { fields[field.rawValue] }
        let ticks = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
        let limit = Self.text("\(root)/self/limits")?.split(separator: "\n").first { $0.hasPrefix("Max open files") }
        self.init(
            cpuSeconds: Double(field(.userTicks) + field(.systemTicks)) / ticks,
            residentBytes: field(.residentPages) * Int(sysconf(Int32(_SC_PAGESIZE))),
            virtualBytes: field(.virtualBytes),
            // Counting the descriptors opens one itself.
            openDescriptors: max(0, descriptors - 1),
            descriptorLimit: limit?.split(separator: " ").dropFirst(3).first.flatMap { Int($0) },
            startTime: Self.bootTime + Double(field(.startTick)) / ticks)
    }

    /// Indices of the fields after the process name.
    private enum Field: Int {
        case userTicks = 11
        case systemTicks = 12
        case startTick = 19
        case virtualBytes = 20
        case residentPages = 21
    }

    /// Boot time of the system, in seconds since 1970. Read once, so that it never varies. `/proc/stat` has it too, but
    /// a sandbox with `ProcSubset=pid` hides that file.
    static let bootTime =
        NumericDate(clock: Date.now.timeIntervalSince1970).seconds - ProcessInfo.processInfo.systemUptime

    private static func text(_ path: String) -> String? {
        try? String(contentsOfFile: path, encoding: .utf8)
    }
}
