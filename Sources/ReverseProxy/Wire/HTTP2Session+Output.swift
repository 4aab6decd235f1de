import HTTP2Sessions
import NIOCore

extension HTTP2Session {
    /// Writes the serialized output, and flushes. False if there is none.
    ///
    /// - Parameter storage: Takes the last buffer back for the next output.
    func writeOutput(to end: ChannelEnd, _ storage: HTTP2Storage) -> Bool {
        guard var last = nextOutput() else { return false }
        if outputByteCount == 0 {
            end.send(last)
        } else {
            end.write(last)
            while let bytes = nextOutput() {
                last = bytes
                end.write(bytes)
            }
            end.flush()
        }
        storage.recycle(last)
        return true
    }
}
