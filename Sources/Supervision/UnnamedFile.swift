import CDescriptors

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// File in memory without a name. Every worker inherits it, and finds what the worker before it left there. It vanishes
/// with the supervisor.
public enum UnnamedFile {
    /// Value of `MFD_NOEXEC_SEAL`.
    private static let notExecutable: CUnsignedInt = 8

    /// Makes a file that only this user can access.
    ///
    /// - Parameter sockets: number of sockets that a worker inherits. The file's descriptor is above their fixed
    ///   numbers.
    /// - Returns: the descriptor, which has the same number in each worker.
    public static func make(besides sockets: Int) throws(SupervisionFailure) -> CInt {
        // A system may require that nothing in the file can be executed (`vm.memfd_noexec`). An older system does not
        // know the flag.
        var made = unsafe memfd_create("bearward", notExecutable)
        if made < 0 { made = unsafe memfd_create("bearward", 0) }
        guard made >= 0 else { throw .system("memfd_create", errno) }
        defer { close(made) }
        guard fchmod(made, 0o600) == 0 else { throw .system("fchmod", errno) }
        let descriptor = fcntl(made, F_DUPFD, 3 &+ CInt(clamping: sockets &+ 2))
        guard descriptor >= 0 else { throw .system("fcntl", errno) }
        return descriptor
    }

    /// Descriptor that a worker inherits, if it is a regular file that this user owns and only this user can access, as
    /// the supervisor makes it. Nil if it is not; its content must then not be trusted.
    public static func inherited(_ number: String) -> CInt? {
        guard let descriptor = CInt(number), descriptor > 2 else { return nil }
        var found = stat()
        guard unsafe fstat(descriptor, &found) == 0, found.st_mode & S_IFMT == S_IFREG, found.st_uid == geteuid(),
            found.st_mode & (S_IRWXG | S_IRWXO) == 0
        else { return nil }
        return descriptor
    }
}
