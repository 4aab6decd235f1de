import Testing

@testable import ConfigurationFile

struct QuantityTests {
    @Test(arguments: [
        ("30s", Duration.seconds(30)), ("5m", .seconds(300)), ("2h", .seconds(7200)), ("1d", .seconds(86_400)),
        ("500ms", .milliseconds(500)),
        ("0s", .zero), ("0", .zero),
    ])
    func `a duration is a number with a unit`(_ text: String, _ duration: Duration) {
        #expect(Quantity.duration(text) == duration)
    }

    @Test(arguments: [
        "", "30", "s", "-1s", "1.5s", "1 s", "1S", "1sec", "٣s", "1000000001s", "99999999999999999999s", "1s ", "+1s",
        "00",
    ])
    func `text that is no duration is refused`(_ text: String) {
        #expect(Quantity.duration(text) == nil)
    }

    @Test(arguments: [
        ("512B", 512), ("16KiB", 16_384), ("1MiB", 1_048_576), ("2GiB", 2_147_483_648), ("0", 0), ("0B", 0),
    ])
    func `a size is a number with a unit`(_ text: String, _ count: Int) {
        #expect(Quantity.byteCount(text) == count)
    }

    @Test(arguments: ["", "16", "KiB", "16kib", "16KB", "16K", "-1KiB", "1.5KiB", "999999999999999999GiB", "16 KiB"])
    func `text that is no size is refused`(_ text: String) {
        #expect(Quantity.byteCount(text) == nil)
    }

    @Test(arguments: [
        ("16k", "16KiB"), ("16KB", "16KiB"), ("16384", "16KiB"), ("1000", "1000B"), ("1mb", "1MiB"), ("2g", "2GiB"),
        ("5b", "5B"),
    ])
    func `the size that was probably meant is suggested`(_ text: String, _ meant: String) {
        #expect(Quantity.nearestByteCount(text) == meant)
    }

    @Test func `quantities are shown in the largest unit that fits`() {
        #expect(Quantity.text(ofBytes: 0) == "0")
        #expect(Quantity.text(ofBytes: 1536) == "1536B")
        #expect(Quantity.text(ofBytes: 3 * 1024 * 1024) == "3MiB")
        #expect(Quantity.text(of: .zero) == "0s")
        #expect(Quantity.text(of: .seconds(90)) == "90s")
        #expect(Quantity.text(of: .seconds(7200)) == "2h")
        #expect(Quantity.text(of: .milliseconds(1500)) == "1500ms")
    }
}
