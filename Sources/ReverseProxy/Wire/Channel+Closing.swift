import NIOCore
import NIOSSL

extension Channel {
    /// Closes the connection without waiting for the peer. No TLS close_notify is sent.
    func closeAtOnce() {
        let operations = pipeline.syncOperations
        let context =
            (try? operations.context(handlerType: NIOSSLServerHandler.self))
            ?? (try? operations.context(handlerType: NIOSSLClientHandler.self))
        if let context {
            context.close(promise: nil)
        } else {
            close(promise: nil)
        }
    }
}

extension Channel {
    /// Makes closing a TCP reset, which no peer mistakes for an orderly end.
    func resetWhenClosed() {
        let options = self as? any SocketOptionProvider
        _ = options?.unsafeSetSocketOption(level: .socket, name: .so_linger, value: Linger(isOn: 1, seconds: 0))
    }
}

/// The system's `struct linger`, in its layout: with zero seconds, closing resets the connection.
private struct Linger {
    let isOn: CInt
    let seconds: CInt
}
