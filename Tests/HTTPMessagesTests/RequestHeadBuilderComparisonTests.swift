import HTTPMessages
import TestSupport
import Testing

/// Random field sections, judged by the builder and by the HTTP/1.1 parser.
struct RequestHeadBuilderComparisonTests {
    @Test(arguments: Effort.some(1...8, quick: 1))
    func `an HTTP/2 field section gets the verdict of the equivalent HTTP/1.1 request`(seed: Int) {
        var grammar = FieldSectionGrammar(seed: UInt64(seed))
        var builder = RequestHeadBuilder()
        var tally = Tally()
        for index in 0..<2_500 {
            // Of several mistakes the first one counts. Half of the sections have them in the order of HTTP/1.1.
            let isOrdered = index % 2 == 0
            let section = isOrdered ? inOrderOfText(grammar.next()) : grammar.next()
            let verdict = SectionVerdict(section, with: &builder)
            tally.count(verdict)
            guard !isKnownDifference(section) else { continue }
            let expected = TranslatedRequest(section).verdict()
            let isSame = isOrdered ? verdict.sorted == expected.sorted : verdict.isLike(expected)
            guard !isSame else { continue }
            Issue.record("\(section)\n\(verdict)\n\(expected)")
        }
        #expect(tally.complete > 800 && tally.malformed > 300 && tally.rejected > 100, "\(tally)")
    }

    @Test(arguments: Effort.some(1...8, quick: 1))
    func `limits refuse the same requests as in HTTP 1, with the same rejection`(seed: Int) {
        var grammar = FieldSectionGrammar(seed: UInt64(seed + 100))
        var rejections: Set<RequestHeadRejection> = []
        for _ in 0..<1_000 {
            let section = inOrderOfText(grammar.next())
            let limits = grammar.limits()
            let verdict = SectionVerdict(section, limits: limits)
            guard !isKnownDifference(section), verdict != .malformed else { continue }
            let expected = TranslatedRequest(section).ownRejection(limits: limits)
            // In HTTP/1.1 the length follows the cookies, and the bytes of a target are judged before its length.
            let isOrdered =
                (section.values(of: "cookie").isEmpty || section.values(of: "content-length").isEmpty)
                && !section.values(of: ":path").contains { $0.contains(UInt8(ascii: "#")) }
            let isSame = isOrdered ? verdict.rejection == expected : (verdict.rejection == nil) == (expected == nil)
            if !isSame { Issue.record("\(section)\n\(limits)\n\(verdict)\n\(expected as Any)") }
            if let expected { rejections.insert(expected) }
        }
        #expect(
            rejections.isSuperset(of: [
                .field(.headTooLarge), .field(.fieldTooLarge), .field(.authorizationTooLong), .field(.tooManyFields),
                .targetTooLong,
            ]))
    }

    private struct Tally {
        var complete = 0
        var rejected = 0
        var malformed = 0

        mutating func count(_ verdict: SectionVerdict) {
            switch verdict {
            case .complete: complete += 1
            case .rejected: rejected += 1
            case .malformed: malformed += 1
            }
        }
    }

    /// The section in the order of HTTP/1.1's lines.
    private func inOrderOfText(_ section: FieldSection) -> FieldSection {
        var ordered = section
        let host = section.fields.filter { $0.name == Array("host".utf8) }
        let length = section.fields.filter { $0.name == Array("content-length".utf8) }
        ordered.fields.removeAll { host.contains($0) || length.contains($0) }
        let start = ordered.fields.firstIndex { $0.name.first != UInt8(ascii: ":") } ?? ordered.fields.count
        ordered.fields.insert(contentsOf: host, at: start)
        ordered.fields += length
        return ordered
    }

    /// True for a difference that the text form hides: white space around `:authority`, which RFC 9113 §8.2.1 forbids,
    /// was trimmed; names with bytes that are not UTF-8 were equal.
    private func isKnownDifference(_ section: FieldSection) -> Bool {
        let authorities = section.values(of: ":authority")
        let blanks: Set<UInt8?> = [0x20, 0x09]
        if authorities.contains(where: { blanks.contains($0.first) || blanks.contains($0.last) }) { return true }
        return (authorities + section.values(of: "host")).filter { $0.contains { $0 >= 0x80 } }.count > 1
    }
}

extension SectionVerdict {
    fileprivate var sorted: SectionVerdict {
        if case .complete(let summary) = self { .complete(summary.sorted) } else { self }
    }

    /// True if both are equal except for which of several mistakes is reported.
    fileprivate func isLike(_ other: SectionVerdict) -> Bool {
        if case (.rejected, .rejected) = (self, other) { return true }
        return sorted == other.sorted
    }
}
