/// Finds the known name that was probably meant by an unknown one.
package enum NearestName {
    /// Known name with the fewest edits. Nil if even that needs too many for its length. Of equally near names the
    /// first.
    static func of(_ name: String, among known: some Sequence<String>) -> String? {
        let written = Array(name.lowercased().replacing("-", with: "_").unicodeScalars.prefix(128))
        var nearest: (name: String, distance: Int)?
        for candidate in known {
            let letters = Array(candidate.lowercased().replacing("-", with: "_").unicodeScalars.prefix(128))
            let distance = distance(written, letters)
            guard distance <= max(1, min(written.count, letters.count) / 3), distance < nearest?.distance ?? .max else {
                continue
            }
            nearest = (candidate, distance)
        }
        return nearest?.name
    }

    /// Hint for an unknown name: the one that was probably meant, or else all known names. Nil if no name is known.
    package static func hint(for name: String, among known: [String]) -> String? {
        if let nearest = of(name, among: known) { return "did you mean `\(nearest)`?" }
        return known.isEmpty ? nil : "known here: \(known.joined(separator: ", "))"
    }

    /// Number of insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
                var best = min(replaced, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last.last ?? 0
    }
}
