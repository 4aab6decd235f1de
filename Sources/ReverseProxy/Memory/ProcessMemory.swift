import CMalloc
import FoundationEssentials
import Glibc

/// The system's figures for our memory and its bounds (`cgroups(7)`, `setrlimit(2)`). They are read anew each time: an
/// operator may move them.
enum ProcessMemory {
    /// What is used of each bound; empty without one.
    static func uses() -> [MemoryUse] {
        controlGroups() + [addressSpace()].compactMap { $0 }
    }

    /// Asks the allocator for what it does not need.
    static func giveBack() {
        #if canImport(Glibc)
            _ = malloc_trim(0)
        #endif
    }

    // MARK: Control groups

    /// Of each bounded group that the process is in, of either version; what the group can do without is not counted.
    static func controlGroups() -> [MemoryUse] {
        let groups = (text("/proc/self/cgroup") ?? "").split(separator: "\n")
            .map { $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false) }
        return groups.flatMap { group -> [MemoryUse] in
            guard group.count == 3 else { return [] }
            return switch group[1] {
            case "": uses("/sys/fs/cgroup", group[2], "memory.max", "memory.current", "inactive_file")
            case "memory":
                uses(
                    "/sys/fs/cgroup/memory", group[2], "memory.limit_in_bytes", "memory.usage_in_bytes",
                    "total_inactive_file")
            default: []
            }
        }
    }

    /// Of a group and of all above it.
    private static func uses(_ root: String, _ path: Substring, _ limit: String, _ usage: String, _ unused: String)
        -> [MemoryUse]
    {
        var path = path
        var uses: [MemoryUse] = []
        while true {
            let directory = root + path
            // Version 1 writes the largest number of pages where there is no limit.
            if let limit = number("\(directory)/\(limit)"), limit > 0, limit < Int.max / 2,
                let usage = number("\(directory)/\(usage)")
            {
                let line = text("\(directory)/memory.stat")?.split(separator: "\n").first { $0.hasPrefix(unused + " ") }
                let used = usage &- (line.flatMap { Int($0.dropFirst(unused.count + 1)) } ?? 0)
                uses.append(MemoryUse(used: max(0, used), bound: limit))
            }
            guard path.count > 1, let slash = path.lastIndex(of: "/") else { return uses }
            path = path[..<slash]
        }
    }

    // MARK: Address space

    /// Of what the process holds and could still get: much is mapped but not allocated yet, so the mapped size alone
    /// says little.
    private static func addressSpace() -> MemoryUse? {
        guard let space = mappedSpace() else { return nil }
        let heap = Self.heap()
        let left = max(0, space.left &+ heap.free &- scattered)
        return MemoryUse(used: heap.allocated, bound: heap.allocated &+ left)
    }

    /// What is mapped of the address space; nil without a bound on it.
    static func mappedSpace() -> MemoryUse? {
        let line = text("/proc/self/limits")?.split(separator: "\n").first { $0.hasPrefix("Max address space") }
        guard let limit = line?.split(separator: " ").dropFirst(3).first.flatMap({ Int($0) }),
            let pages = text("/proc/self/statm")?.split(separator: " ").first.flatMap({ Int($0) })
        else { return nil }
        return MemoryUse(used: pages &* Int(sysconf(Int32(_SC_PAGESIZE))), bound: limit)
    }

    /// What is free in pieces that are too small, in bytes: where address space ends, so does the process.
    private static let scattered = 32 << 20

    /// The allocator's figures; zeros where it has none.
    static func heap() -> HeapTrimmer.Heap {
        #if canImport(Glibc)
            let heap = mallinfo2()
            return .init(
                allocated: Int(clamping: heap.uordblks) + Int(clamping: heap.hblkhd), free: Int(clamping: heap.fordblks)
            )
        #else
            return .init(allocated: 0, free: 0)
        #endif
    }

    private static func number(_ path: String) -> Int? {
        text(path).flatMap { Int($0.prefix { $0.isNumber }) }
    }

    private static func text(_ path: String) -> String? {
        try? String(contentsOfFile: path, encoding: .utf8)
    }
}
