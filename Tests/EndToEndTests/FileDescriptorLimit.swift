import Glibc

/// Limit on open files of this process and its children.
enum FileDescriptorLimit {
    /// Raises the limit, and returns true if this many files are allowed.
    static func raise(to count: Int) -> Bool {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return false }
        if limit.rlim_cur >= rlim_t(count) { return true }
        limit.rlim_cur = rlim_t(count)
        limit.rlim_max = max(limit.rlim_max, rlim_t(count))
        return unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    }
}
