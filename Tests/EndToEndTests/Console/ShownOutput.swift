import Foundation

/// Output that a page shows, compared with the real one.
///
/// A key ID, a time and a request's ID differ each time and count as equal. If the page has a line `…`, lines are left
/// out anywhere.
struct ShownOutput {
    private let shown: [String]
    private let isShortened: Bool

    init(_ lines: [String]) {
        shown = lines.filter { !Self.isEllipsis($0) }.map(Self.withoutVariables)
        isShortened = lines.contains(where: Self.isEllipsis)
    }

    /// Description of the first difference. Nil if there is none.
    func difference(from printed: String) -> String? {
        var lines = printed.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false).map {
            Self.withoutVariables(String($0))
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        guard isShortened else { return lines == shown ? nil : firstDifference(lines) }
        var rest = lines[...]
        for line in shown {
            guard let index = rest.firstIndex(of: line) else {
                return "the page shows `\(line)`, which is not printed, or not there"
            }
            rest = rest[(index + 1)...]
        }
        return nil
    }

    private func firstDifference(_ lines: [String]) -> String {
        let index = zip(lines, shown).prefix { $0 == $1 }.count
        let (page, real) = (
            index < shown.count ? shown[index] : "nothing more", index < lines.count ? lines[index] : "nothing more"
        )
        return "line \(index + 1): the page shows `\(page)`, and printed is `\(real)`"
    }

    private static func isEllipsis(_ line: String) -> Bool { line.trimmingCharacters(in: .whitespaces) == "…" }

    private static func withoutVariables(_ line: String) -> String {
        var line = line.replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]+Z/, with: "TIME")
        line.replace(/[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT/, with: "DATE")
        line.replace(/\bdev-[0-9a-f]{12}\b/, with: "KID")
        line.replace(/\b[0-9a-f]{32}\b/, with: "ID")
        return String(line.reversed().drop(while: \.isWhitespace).reversed())
    }
}
