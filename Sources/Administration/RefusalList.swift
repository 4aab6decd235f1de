import StrictJSON

/// Answer of `/api/refusals`: the latest requests that the gateway refused, or would have refused in observe mode.
public struct RefusalList: Sendable, Hashable {
    /// Lines of the access log, JSON objects without a line feed, newest first.
    public let lines: [[UInt8]]
    /// Number of such requests since the gateway began to keep them, without those left out.
    public let noted: UInt64
    /// Number of such requests that were not kept: their lines were too long, or they came too fast.
    public let leftOut: UInt64

    public init(lines: [[UInt8]], noted: UInt64, leftOut: UInt64) {
        (self.lines, self.noted, self.leftOut) = (lines, noted, leftOut)
    }

    /// Writes the lines that a query asks for as one JSON object.
    func json(_ query: RefusalQuery) -> [UInt8] {
        var chosen: [UInt8] = [UInt8(ascii: "[")]
        for line in lines.lazy.filter(query.matches).prefix(query.limit) {
            if chosen.count > 1 { chosen.append(UInt8(ascii: ",")) }
            chosen += line
        }
        chosen.append(UInt8(ascii: "]"))
        return JSONObjectWriter.object { json, bytes in
            json.member("kept", integer: lines.count, into: &bytes)
            json.member("noted", integer: Int64(clamping: noted), into: &bytes)
            json.member("left_out", integer: Int64(clamping: leftOut), into: &bytes)
            json.member("refusals", json: chosen, into: &bytes)
        }
    }
}
