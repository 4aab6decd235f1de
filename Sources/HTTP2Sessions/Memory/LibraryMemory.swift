/// Allocator for the library (nghttp2), with lists of freed blocks. An HTTP/2 request needs six blocks of a few sizes.
///
/// Confined to one event loop, as its sessions are.
final class LibraryMemory {
    /// Unchecked: its functions call nothing that could call back.
    @safe @exclusivity(unchecked) private var lists = FreeLists()

    /// Number of memory blocks that the library holds.
    var liveCount: Int { lists.liveCount }
    /// Total size of the blocks that the library holds, after rounding up.
    var liveBytes: Int { lists.liveBytes }
    /// Number of blocks ever allocated from the system.
    var systemCount: Int { lists.systemCount }
    /// Bytes in freed blocks that are kept for reuse.
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
