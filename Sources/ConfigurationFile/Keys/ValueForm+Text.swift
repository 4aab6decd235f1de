extension ValueForm {
    /// Describes the form for people, such as "time, 1ms to 1d".
    ///
    /// - Parameter link: makes the text that refers to another section.
    public func text(link: (SectionReference) -> String) -> String {
        switch self {
        case .text(let what), .pattern(let what, _): what
        case .words(let words): Self.alternatives(words.map { "`\($0)`" })
        case .boolean: "`true` or `false`"
        case .integer(let range): "number, \(range.lowerBound) to \(range.upperBound)"
        case .duration(let range):
            "time, \(Quantity.text(of: range.lowerBound)) to \(Quantity.text(of: range.upperBound))"
        case .size(let range):
            "size, \(Quantity.text(ofBytes: range.lowerBound)) to \(Quantity.text(ofBytes: range.upperBound))"
        case .claimValue: "text, number or boolean"
        case .anything: "any JSON value"
        case .list(let element, _): element.text(link: link) + "; or a list"
        case .listAlone(let element): "list of " + element.text(link: link)
        case .mapping(let names, let value): "mapping of \(names.text(link: link)) to \(value.text(link: link))"
        case .section(let section): link(section)
        case .tagged(let key, let sections): Self.text(of: sections, key: key, link: link)
        case .oneOf(let forms): Self.alternatives(forms.map { $0.text(link: link) })
        }
    }

    private static func text(of sections: [TaggedSection], key: String, link: (SectionReference) -> String) -> String {
        let untagged = sections.first { $0.tag == nil }.map { link($0.section) + ", or " } ?? ""
        return untagged + "one with a `\(key)`"
    }

    private static func alternatives(_ texts: [String]) -> String {
        guard let last = texts.last, texts.count > 1 else { return texts.first ?? "" }
        return texts.dropLast().joined(separator: ", ") + " or " + last
    }
}
