import CMalloc
import Foundation
import Synchronization

/// Whether the process has nearly all the memory that the system will give it; new requests are then refused until there is room again.
final class MemoryWatch: Sendable {
    private let short = Atomic<Bool>(false)
    private let nextLook = Atomic<Int64>(.min)
    private let usedShare: @Sendable () -> Double?

    private static let interval: Int64 = 1_000_000_000
    /// Above the first share memory is short, below the second it is not any more.
    private static let (high, low) = (0.9, 0.8)

    /// - Parameter usedShare: of what there is at most, from 0 to 1; nil where nothing bounds it.
    init(usedShare: @escaping @Sendable () -> Double?) {
        self.usedShare = usedShare
    }

    /// Of this process.
    convenience init() {
        let limits = MemoryLimits.ofThisProcess()
        self.init { limits.usedShare() }
    }

    var isShort: Bool { short.load(ordering: .relaxed) }

    /// Looks at most once a second, whichever loop asks; true if memory has just become short. Times are monotonic, in nanoseconds.
    func look(at now: Int64) -> Bool {
        let due = nextLook.load(ordering: .relaxed)
        guard due <= now, nextLook.compareExchange(expected: due, desired: now &+ Self.interval, ordering: .relaxed).exchanged,
            let share = usedShare()
        else { return false }
        let was = isShort
        let isShort = share > (was ? Self.low : Self.high)
        short.store(isShort, ordering: .relaxed)
        // What was freed goes back to the system only now, where it counts.
        if isShort { MemoryLimits.giveBack() }
        return isShort && !was
    }
}

/// What bounds this process's memory, in bytes (`setrlimit(2)`, `cgroups(7)`); nil where nothing does.
struct MemoryLimits: Sendable {
    /// Of everything that is mapped.
    var addressSpace: Int?
    /// Of what is resident.
    var controlGroup: Int?

    static func ofThisProcess() -> MemoryLimits {
        let line = text("/proc/self/limits")?.split(separator: "\n").first { $0.hasPrefix("Max address space") }
        let addressSpace = line?.split(separator: " ").dropFirst(3).first.flatMap { Int($0) }
        return MemoryLimits(addressSpace: addressSpace, controlGroup: controlGroupLimit())
    }

    /// The larger of both shares; nil without a limit.
    func usedShare() -> Double? {
        guard addressSpace != nil || controlGroup != nil, let (mapped, resident) = Self.use() else { return nil }
        // What the allocator has at hand is mapped, and yet there for the next who asks.
        let ofAddressSpace = addressSpace.map { Double(mapped - Self.freeInHeap()) / Double($0) }
        let ofGroup = controlGroup.map { Double(resident) / Double($0) }
        return max(ofAddressSpace ?? 0, ofGroup ?? 0)
    }

    /// What is mapped and what of it is resident, in bytes (`proc(5)`).
    static func use() -> (mapped: Int, resident: Int)? {
        let pages = text("/proc/self/statm")?.split(separator: " ").compactMap { Int($0) }
        guard let pages, pages.count > 1 else { return nil }
        return (pages[0] * pageSize, pages[1] * pageSize)
    }

    private static let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))

    // MARK: The allocator

    #if canImport(Glibc)
        static func freeInHeap() -> Int { Int(clamping: mallinfo2().fordblks) }

        /// Asks for the return of what is not needed.
        static func giveBack() { _ = malloc_trim(0) }
    #else
        static func freeInHeap() -> Int { 0 }

        static func giveBack() {}
    #endif

    // MARK: Control groups

    /// The narrowest of those that the process is in, of either version.
    private static func controlGroupLimit() -> Int? {
        let groups = (text("/proc/self/cgroup") ?? "").split(separator: "\n")
            .map { $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false) }
        var limits: [Int] = []
        for group in groups where group.count == 3 {
            switch group[1] {
            case "": limits += Self.limits(below: "/sys/fs/cgroup", group[2], file: "memory.max")
            case "memory": limits += Self.limits(below: "/sys/fs/cgroup/memory", group[2], file: "memory.limit_in_bytes")
            default: continue
            }
        }
        // Version 1 writes the largest number of pages where there is no limit.
        return limits.min().flatMap { $0 < Int.max / 2 ? $0 : nil }
    }

    /// Of a group and all above it.
    private static func limits(below root: String, _ path: Substring, file: String) -> [Int] {
        var path = path
        var limits: [Int] = []
        while true {
            if let limit = text("\(root)\(path)/\(file)").flatMap({ Int($0.prefix { $0.isNumber }) }) { limits.append(limit) }
            guard path.count > 1, let slash = path.lastIndex(of: "/") else { return limits }
            path = path[..<slash]
        }
    }

    private static func text(_ path: String) -> String? {
        try? String(contentsOfFile: path, encoding: .utf8)
    }
}
