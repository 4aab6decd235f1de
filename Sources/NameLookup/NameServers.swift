import Dispatch
import Files
import Synchronization

/// The system's name servers and `/etc/hosts`, asked for addresses. No caller waits.
///
/// A thread is there while lookups are, and there is one for all of them: no lookup delays another.
public final class NameServers: Sendable {
    private struct Inbox {
        var requests: [NameRequest] = []
        /// Whether the thread is there, and will look here again.
        var isAttended = false
    }

    private let inbox = Mutex(Inbox())
    private let queue = DispatchQueue(label: "name lookup")
    private let wakeup = Wakeup()
    private let lookups: NameLookups

    public init(_ settings: NameServerSettings = NameServerSettings()) {
        lookups = NameLookups(settings, wakeup)
    }

    /// Looks a name up.
    ///
    /// - Parameter completion: called once, on a thread on which it must not wait.
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

    /// nil: there is nothing to do any more.
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
