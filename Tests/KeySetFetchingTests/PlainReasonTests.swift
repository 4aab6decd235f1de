import Foundation
import NIOCore
import Testing

@testable import KeySetFetching

@Suite struct PlainReasonTests {
    @Test func `what the operating system refuses is told in its words alone`() {
        #expect(PlainReason.of(IOError(errnoCode: ENOSPC, reason: "write(descriptor:pointer:size:)")) == "No space left on device")
        #expect(PlainReason.of(IOError(errnoCode: EACCES, reason: "mkdir(pathname:mode:)")) == "Permission denied")
    }

    @Test func `an error of Foundation is told by what caused it`() {
        let cause = NSError(domain: NSPOSIXErrorDomain, code: Int(EDQUOT))
        let error = NSError(domain: NSCocoaErrorDomain, code: 640, userInfo: [NSUnderlyingErrorKey: cause])
        #expect(PlainReason.of(error) == "Disk quota exceeded")
    }

    @Test func `a full device is told as such`() throws {
        let device = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        do {
            try device.write(contentsOf: Data([1]))
            Issue.record("written")
        } catch {
            #expect(PlainReason.of(error) == "No space left on device")
        }
    }

    @Test func `an error of our own is told as it describes itself`() {
        #expect(PlainReason.of(StateFileFailure.notDirectory) == "it is not a directory")
    }
}
