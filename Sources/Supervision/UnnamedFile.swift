import CDescriptors

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file in memory without a name. Every worker inherits it: what one leaves there the next finds, and it ends with
/// the supervisor.
public enum UnnamedFile {
    /// `MFD_NOEXEC_SEAL`.
    private static let notExecutable: CUnsignedInt = 8

    /// Makes one, for this user alone.
    ///
    /// - Parameter sockets: how many a worker is given. The descriptor is above those that it gets under fixed numbers.
    /// - Returns: the descriptor, which has the same number in each worker.
    public static func make(besides sockets: Int) throws(SupervisionFailure) -> CInt {
        // A system may insist that nothing in it can be run (`vm.memfd_noexec`), and an older one does not know the
        // flag.
        var made = unsafe memfd_create("bearward", notExecutable)
        if made < 0 { made = unsafe memfd_create("bearward", 0) }
        guard made >= 0 else { throw .system("memfd_create", errno) }
        defer { close(made) }
        guard fchmod(made, 0o600) == 0 else { throw .system("fchmod", errno) }
        let descriptor = fcntl(made, F_DUPFD, 3 &+ CInt(clamping: sockets &+ 2))
        guard descriptor >= 0 else { throw .system("fcntl", errno) }
        return descriptor
    }

    /// The descriptor that a worker inherits, if it is what the supervisor made: a regular file of this user's, for
    /// this user alone. Nil: it is not, and nothing in it can be believed.
    public static func inherited(_ number: String) -> CInt? {
        guard let descriptor = CInt(number), descriptor > 2 else { return nil }
        var found = stat()
        guard unsafe fstat(descriptor, &found) == 0, found.st_mode & S_IFMT == S_IFREG, found.st_uid == geteuid(),
            found.st_mode & (S_IRWXG | S_IRWXO) == 0
        else { return nil }
        return descriptor
    }
}
