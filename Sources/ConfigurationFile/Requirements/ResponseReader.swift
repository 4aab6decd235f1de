import HTTPMessages
import RequestAuthorization

/// Reads `response`.
struct ResponseReader {
    /// Longest value of a header that is set, in bytes.
    static let longestValue = 4096
    /// Most bytes of all values of one `response`.
    static let mostBytes = 8192

    /// True if the file has doors.
    let hasDoors: Bool

    /// Reads the edits of a resource or a rule. Invalid parts are reported, and left out.
    ///
    /// - Parameter isForDoorsAlone: true if the resource has no upstream.
    func read(_ value: Value?, isForDoorsAlone: Bool) -> ResponseEdits {
        guard let value, let section = Section(value, of: ResponseKeys.self) else { return ResponseEdits() }
        if hasDoors { value.warnOfNoEffectAtDoors(isForDoorsAlone: isForDoorsAlone) }
        let edits = ResponseEdits(
            set: section.read(\.set).value ?? [:], removed: section.read(\.remove).value ?? [])
        if let both = ResponseFieldName.allCases.first(where: { edits.set[$0] != nil && edits.removed.contains($0) }) {
            section[\.remove]?.report(
                "`\(both.text)` is in `set` too", hint: "take it out here: `set` replaces the upstream's")
        }
        value.reportIfEmpty("nothing is set or removed", hint: "write `set` or `remove`, or take `response` out")
        section[\.set]?.reportIfEmpty("nothing is set", hint: "name a header and its value, or take `set` out")
        return edits
    }

    static func set(_ value: Value) -> [ResponseFieldName: [UInt8]]? {
        guard let members = value.members(expected: "a mapping of header names to values") else { return nil }
        var set: [ResponseFieldName: [UInt8]] = [:]
        for member in members {
            guard let name = name(member.key, { member.reportKey($0.message, hint: $0.hint) }) else { continue }
            guard set[name] == nil else {
                member.reportKey("`\(member.key)` stands twice")
                continue
            }
            guard let text = fieldValue(member.value) else { continue }
            set[name] = text
        }
        let count = set.values.reduce(0) { $0 + $1.count }
        if count > mostBytes {
            value.reportPlace("the values have \(count) bytes together, and \(mostBytes) are the most")
        }
        return set
    }

    static func removed(_ value: Value) -> Set<ResponseFieldName>? {
        guard let elements = value.someElements(of: "header", expected: "a header name or a list of them") else {
            return nil
        }
        var removed: Set<ResponseFieldName> = []
        for element in elements {
            guard let text = element.someText(expected: "a header name such as `Server`"),
                let name = name(text, { element.report($0.message, hint: $0.hint) })
            else { continue }
            if !removed.insert(name).inserted { element.report("`\(text)` stands twice") }
        }
        return removed
    }

    /// Reads a value (RFC 9110 §5.5). Bytes above 0x7F are refused, since clients read them differently. Nil after an
    /// error, which is reported.
    private static func fieldValue(_ value: Value) -> [UInt8]? {
        guard let text = value.someText(expected: "the header's value") else { return nil }
        let bytes = Array(text.utf8)
        guard bytes.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x09 }) else {
            return value.refuse(
                "the value has a character that is not printable ASCII", hint: "write it on one line, in ASCII")
        }
        guard !" \t".utf8.contains(where: { $0 == bytes.first || $0 == bytes.last }) else {
            return value.refuse("the value begins or ends with white space", hint: "take the white space out")
        }
        guard bytes.count <= longestValue else {
            return value.refuse("the value has \(bytes.count) bytes, and \(longestValue) are the most")
        }
        return bytes
    }

    private static func name(_ text: String, _ report: (ProblemText) -> Void) -> ResponseFieldName? {
        if let name = ResponseFieldName(text) { return name }
        report(ForbiddenResponseField(text)?.text(of: text) ?? unknown(text))
        return nil
    }

    private static func unknown(_ text: String) -> ProblemText {
        guard FieldName(text) != nil else { return ProblemText("`\(text)` is not a header name (RFC 9110 §5.1)") }
        let names = ResponseFieldName.allCases.map(\.text)
        let hint = NearestName.of(text, among: names).map { "did you mean `\($0)`?" }
        return ProblemText(
            "`\(text)` is not among the headers that can be set or removed",
            hint: hint ?? "those are \(names.joined(separator: ", "))")
    }
}
