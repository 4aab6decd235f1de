import Files
import NIOCore
import SystemPackage
import Testing

@testable import KeySetFetching

@Suite struct PlainReasonTests {
    @Test func `what the operating system refuses is told in its words alone`() {
        #expect(
            PlainReason.of(IOError(errnoCode: Errno.noSpace.rawValue, reason: "write(descriptor:pointer:size:)"))
                == "No space left on device")
        #expect(
            PlainReason.of(IOError(errnoCode: Errno.permissionDenied.rawValue, reason: "mkdir(pathname:mode:)")) == "Permission denied")
    }

    @Test func `a full device is told as such`() throws {
        let device = try OpenFile("/dev/full", .writeOnly)
        let error = #expect(throws: Errno.self) { try device.write([1]) }
        #expect(error.map(PlainReason.of) == "No space left on device")
    }

    @Test func `an error of our own is told as it describes itself`() {
        #expect(PlainReason.of(StateFileFailure.notDirectory) == "it is not a directory")
    }
}
