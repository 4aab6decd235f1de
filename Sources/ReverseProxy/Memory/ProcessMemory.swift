import CMalloc
import FoundationEssentials
import Glibc

/// The system's figures for the process's memory and its bounds (`cgroups(7)`, `setrlimit(2)`). Read anew each time,
/// because an operator may change the bounds.
enum ProcessMemory {
    /// Memory in use under each bound. Empty if there is none.
    static func uses() -> [MemoryUse] {
        controlGroups() + [addressSpace()].compactMap { $0 }
    }

    /// Returns free heap memory to the system.
    static func giveBack() {
        #if canImport(Glibc)
            _ = malloc_trim(0)
        #endif
    }

    // MARK: Control groups

    /// Memory use of each bounded control group of the process, version 1 or 2, without the group's reclaimable page
    /// cache.
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

    /// Reads the memory use of a group and of all groups above it.
    private static func uses(_ root: String, _ path: Substring, _ limit: String, _ usage: String, _ unused: String)
        -> [MemoryUse]
    {
        var path = path
        var uses: [MemoryUse] = []
        while true {
            let directory = root + path
            // Version 1 reports a huge number if there is no limit.
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

    /// Memory that the process holds, and that it could still get under the address space limit. The mapped size alone
    /// says little, because much of it is mapped but not allocated. Nil if there is no limit, or `/proc` cannot be
    /// read.
    private static func addressSpace() -> MemoryUse? {
        guard let space = mappedSpace() else { return nil }
        let heap = Self.heap()
        let left = max(0, space.left &+ heap.free &- scattered)
        return MemoryUse(used: heap.allocated, bound: heap.allocated &+ left)
    }

    /// Address space that is mapped. Nil if it has no limit.
    static func mappedSpace() -> MemoryUse? {
        let line = text("/proc/self/limits")?.split(separator: "\n").first { $0.hasPrefix("Max address space") }
        guard let limit = line?.split(separator: " ").dropFirst(3).first.flatMap({ Int($0) }),
            let pages = text("/proc/self/statm")?.split(separator: " ").first.flatMap({ Int($0) })
        else { return nil }
        return MemoryUse(used: pages &* Int(sysconf(Int32(_SC_PAGESIZE))), bound: limit)
    }

    /// Free memory assumed to be in pieces too small to use, in bytes. The process crashes when address space runs out.
    private static let scattered = 32 << 20

    /// The allocator's figures. Zeros if the C library has none.
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
