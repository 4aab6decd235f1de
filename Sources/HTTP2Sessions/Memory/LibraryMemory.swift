/// What the library allocates, from lists of freed blocks: a request takes six allocations, of a few sizes.
///
/// Confined to one event loop, as the sessions that use it are.
final class LibraryMemory {
    /// Unchecked: its functions call nothing that could come back to it.
    @safe @exclusivity(unchecked) private var lists = FreeLists()

    /// Blocks that the library holds.
    var liveCount: Int { lists.liveCount }
    /// Their sizes, as they were rounded.
    var liveBytes: Int { lists.liveBytes }
    /// Blocks that were taken from the system, ever.
    var systemCount: Int { lists.systemCount }
    /// Bytes in blocks that were freed and are kept.
    var keptBytes: Int { lists.keptBytes }

    func allocate(_ size: Int) -> UnsafeMutableRawPointer? { unsafe lists.allocate(size) }

    func allocateZeroed(_ count: Int, _ size: Int) -> UnsafeMutableRawPointer? {
        unsafe lists.allocateZeroed(count, size)
    }

    func reallocate(_ memory: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer? {
        unsafe lists.reallocate(memory, size)
    }

    func free(_ memory: UnsafeMutableRawPointer?) { unsafe lists.free(memory) }
}

@available(*, unavailable)
extension LibraryMemory: Sendable {}
