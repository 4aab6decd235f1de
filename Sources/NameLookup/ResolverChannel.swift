import CARES
import Files
import NetworkNames

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Owner of a c-ares channel, which sends questions to name servers and receives their answers. Used by one thread at a
/// time.
///
/// The channel's sockets are open only while there are questions.
// SAFETY: the channel is ours from `init` to `deinit`.
@safe
final class ResolverChannel {
    /// Identity of a question: the lookup and the address family that its answer is for.
    struct Question: Hashable {
        let lookup: UInt64
        let family: AddressFamily
    }

    private let channel: ares_channel
    private let answers = AnswerList()
    /// Search list from the name servers' file.
    let searchList: SearchList

    /// - Throws: if memory is short.
    init(_ settings: NameServerSettings) throws(ResolverFailure) {
        unsafe channel = try Self.open(settings, lookups: "b")
        do {
            searchList = try unsafe Self.searchList(of: channel)
        } catch {
            unsafe ares_destroy(channel)
            throw error
        }
    }

    // SAFETY: this call answers all open questions, and each answer is only appended to the list that its question
    // holds.
    deinit {
        unsafe ares_destroy(channel)
    }

    /// Opens a c-ares channel.
    ///
    /// - Parameter lookups: `b` for name servers, `f` for `/etc/hosts`.
    static func open(_ settings: NameServerSettings, lookups: String) throws(ResolverFailure) -> ares_channel {
        var options = unsafe ares_options()
        var mask = ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_LOOKUPS | ARES_OPT_RESOLVCONF
        // The aliases of a user's environment are not meant for servers.
        unsafe options.flags = ARES_FLAG_NOALIASES
        let (seconds, attoseconds) = settings.timeout.components
        unsafe options.timeout = CInt(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
        unsafe options.tries = CInt(clamping: settings.tries)
        if let port = settings.port {
            unsafe options.udp_port = port
            unsafe options.tcp_port = port
            mask |= ARES_OPT_UDP_PORT | ARES_OPT_TCP_PORT
        }
        var channel: ares_channel?
        var (file, sources) = (settings.file.utf8CString, lookups.utf8CString)
        // SAFETY: the library copies both texts.
        let status = unsafe file.withUnsafeMutableBufferPointer { file in
            unsafe sources.withUnsafeMutableBufferPointer { sources in
                unsafe options.resolvconf_path = file.baseAddress
                unsafe options.lookups = sources.baseAddress
                return unsafe ares_init_options(&channel, &options, mask)
            }
        }
        guard status == ARES_SUCCESS, let channel = unsafe channel else { throw ResolverFailure(status) }
        return unsafe channel
    }

    private static func searchList(of channel: ares_channel) throws(ResolverFailure) -> SearchList {
        var options = unsafe ares_options()
        var mask: CInt = 0
        let status = unsafe ares_save_options(channel, &options, &mask)
        defer { unsafe ares_destroy_options(&options) }
        guard status == ARES_SUCCESS else { throw ResolverFailure(status) }
        var list = unsafe SearchList(dots: Int(options.ndots))
        for index in unsafe 0..<Int(max(0, options.ndomains)) {
            if let domain = unsafe options.domains?[index] { list.domains.append(unsafe String(cString: domain)) }
        }
        return list
    }

    // MARK: Asking

    /// Asks for both address families of a name. ``takeAnswers()`` returns the answers, possibly at once.
    func ask(for name: String, _ lookup: UInt64) {
        for family in AddressFamily.allCases {
            let question = PendingQuestion(Question(lookup: lookup, family: family), name, answers)
            // SAFETY: the library calls back exactly once, also when the channel is destroyed.
            let handle = unsafe Unmanaged.passRetained(question).toOpaque()
            unsafe ares_query(
                channel, name, RecordType.internet, RecordType(family).rawValue,
                { argument, status, _, bytes, count in
                    guard let argument = unsafe argument else { return }
                    let question = unsafe Unmanaged<PendingQuestion>.fromOpaque(argument).takeRetainedValue()
                    unsafe question.end(status, UnsafeBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(count)))
                }, handle)
        }
    }

    func takeAnswers() -> [(Question, RecordAnswer)] {
        defer { answers.list = [] }
        return answers.list
    }

    // MARK: Waiting

    /// Waits for the name servers, at most until a question times out, and lets c-ares read their answers.
    ///
    /// - Parameters:
    ///   - wakeup: ends the wait.
    ///   - limit: longest wait. Nil for no other limit.
    func process(_ wakeup: Wakeup, atMost limit: Duration?) {
        var sockets = [ares_socket_t](repeating: -1, count: Int(ARES_GETSOCK_MAXNUM))
        let interest = unsafe ares_getsock(channel, &sockets, ARES_GETSOCK_MAXNUM)
        var polled = [pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)]
        for (index, socket) in sockets.enumerated() {
            let reads = interest & (1 << CInt(index)) != 0
            let writes = interest & (1 << CInt(index + Int(ARES_GETSOCK_MAXNUM))) != 0
            guard reads || writes else { continue }
            polled.append(pollfd(fd: socket, events: Int16((reads ? POLLIN : 0) | (writes ? POLLOUT : 0)), revents: 0))
        }
        let count = unsafe poll(
            &polled, nfds_t(polled.count), min(patience(wakeup), limit.map(Self.milliseconds) ?? .max))
        if count > 0 {
            if polled[0].revents != 0 { wakeup.clear() }
            for one in polled.dropFirst() where one.revents != 0 {
                let writes = CInt(one.revents) & POLLOUT != 0
                // Errors and the end of a stream count as readable.
                let reads = CInt(one.revents) & ~POLLOUT != 0
                unsafe ares_process_fd(channel, reads ? one.fd : -1, writes ? one.fd : -1)
            }
        }
        // Handle the questions that timed out.
        unsafe ares_process_fd(channel, -1, -1)
    }

    /// Milliseconds of a duration, rounded up.
    private static func milliseconds(_ duration: Duration) -> CInt {
        let (seconds, attoseconds) = max(duration, .zero).components
        return CInt(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
    }

    /// Milliseconds until the next question times out; at most a minute, or 20 ms if the wakeup has no descriptor.
    private func patience(_ wakeup: Wakeup) -> CInt {
        var longest = timeval(tv_sec: wakeup.descriptor < 0 ? 0 : 60, tv_usec: wakeup.descriptor < 0 ? 20_000 : 0)
        var time = timeval()
        guard let least = unsafe ares_timeout(channel, &longest, &time) else { return 0 }
        return unsafe CInt(clamping: least.pointee.tv_sec * 1000 + (Int(least.pointee.tv_usec) + 999) / 1000)
    }
}

@available(*, unavailable)
extension ResolverChannel: Sendable {}

/// Failure that c-ares reports, with its error message.
struct ResolverFailure: Error, Hashable {
    let text: String

    init(_ status: CInt) {
        text = unsafe ares_strerror(status).map { unsafe String(cString: $0) } ?? "status \(status)"
    }
}
