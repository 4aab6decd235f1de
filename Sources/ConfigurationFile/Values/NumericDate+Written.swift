import FoundationEssentials
import TokenVerification

extension NumericDate {
    /// Parses a time as operators write it: RFC 3339, or seconds since 1970.
    public init?(written text: String) {
        let isDecimal = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        if isDecimal, let seconds = Double(text), seconds <= NumericDate.latest.seconds {
            self.init(seconds: seconds)
        } else if let parsed = try? Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains(".")).parse(
            text.uppercased())
        {
            self.init(seconds: parsed.timeIntervalSince1970)
        } else {
            return nil
        }
    }
}
