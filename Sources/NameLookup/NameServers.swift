import Dispatch
import Files
import Synchronization

/// Resolver that asks `/etc/hosts` and the system's name servers for addresses. Its callers never wait.
///
/// One thread runs all lookups, and exists only while there are any. No lookup delays another.
public final class NameServers: Sendable {
    private struct Inbox {
        var requests: [NameRequest] = []
        /// True if the thread is running and will read the inbox again.
        var isAttended = false
    }

    private let inbox = Mutex(Inbox())
    private let queue = DispatchQueue(label: "name lookup")
    private let wakeup = Wakeup()
    private let lookups: NameLookups

    public init(_ settings: NameServerSettings = NameServerSettings()) {
        lookups = NameLookups(settings, wakeup)
    }

    /// Looks up the addresses of a name.
    ///
    /// - Parameter completion: called once, on a thread that it must not block.
    public func lookUp(_ name: String, _ completion: @escaping @Sendable (NameAnswer) -> Void) {
        let needsThread = inbox.withLock { inbox in
            inbox.requests.append(NameRequest(name: name, completion: completion))
            defer { inbox.isAttended = true }
            return !inbox.isAttended
        }
        if needsThread { queue.async { self.run() } } else { wakeup.signal() }
    }

    private func run() {
        while let requests = takeRequests() {
            lookups.begin(requests)
            lookups.advance()
        }
    }

    /// New requests for the thread. Nil if there is nothing left to do, so that the thread stops.
    private func takeRequests() -> [NameRequest]? {
        let isIdle = lookups.isIdle
        return inbox.withLock { inbox in
            defer { inbox.requests = [] }
            guard isIdle, inbox.requests.isEmpty else { return inbox.requests }
            inbox.isAttended = false
            return nil
        }
    }
}

struct NameRequest: Sendable {
    let name: String
    let completion: @Sendable (NameAnswer) -> Void
}
