import NetworkNames
import Testing

struct HostNameTests {
    @Test(
        arguments: [
            ("", false), ("1", true), ("0127", true), ("0x", true), ("0x7f", true), ("0X7F", true), ("0xg", false),
            ("7f", false),
            ("a", false),
            ("1a", false), ("x7f", false), ("12-", false), ("com", false),
        ])
    func `a host name whose last label is a number is recognised`(label: String, isNumber: Bool) {
        let found = HostName.isNumber(lastLabel: label.utf8.span)
        #expect(found == isNumber)
    }
}
