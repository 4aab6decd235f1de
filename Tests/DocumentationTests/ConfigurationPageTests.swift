import ConfigurationFile
import Testing

/// `docs/configuration.md`: every key with its form, its default and an example.
struct ConfigurationPageTests {
    private static var profiles: [SectionReference] {
        ConfigurationReference.sections.filter { $0.title.hasPrefix("profile: ") }
    }

    private static var page: String {
        var lines = [
            MadePage.notice, "", "# Configuration", "",
            "Every key of the file. `bearward check` judges a file, and `bearward schema` prints all this as a JSON Schema for editors.",
            "",
            "* Unknown keys, duplicate keys and values of a wrong form are errors. `check` tells all of them at once.",
            "* Times are `500ms`, `30s`, `5m`, `2h` or `1d`; sizes are `512B`, `16KiB`, `1MiB` or `2GiB`. 0 needs no unit.",
            "* Where text is expected, the characters count as they are written: `no` and `280998627474669570` are text there.",
            "* `${NAME}` in a value is a variable of the environment, `${NAME:-default}` has a default, and `$$` is `$`. The result is text.",
            "* Relative paths begin at the file's directory. Secrets stand in files of their own, never in this one.",
            "* Anchors and aliases (`&name`, `*name`) work. Merge keys (`<<`) and tags do not.",
            "* A reload takes every change but those of keys marked with *restart*.", "",
            "The example of a key is what stands behind `KEY:`.",
        ]
        for section in ConfigurationReference.sections where !section.title.hasPrefix("profile: ") {
            lines += table(of: section, heading: "##")
            if section.title == "Issuers without a profile" {
                lines += [
                    "", "## Issuers with a profile", "",
                    "Each has the parameters of its profile, and the [keys of every issuer](#issuers).",
                ]
                for profile in profiles { lines += table(of: profile, heading: "###") }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func table(of section: SectionReference, heading: String) -> [String] {
        let shared = section.title == "issuers" ? [] : ConfigurationReference.sharedIssuerKeys
        let isIssuer = section.title.hasPrefix("profile: ") || section.title == "Issuers without a profile"
        let keys = section.keys.filter { !isIssuer || !shared.contains($0.name) }
        return [
            "", "\(heading) \(section.title)", "", section.text, "", "| Key | Value | Default | Meaning | Example |",
            "|---|---|---|---|---|",
        ]
            + keys.map(row)
    }

    private static func row(_ key: NamedKey) -> String {
        let reference = key.reference
        let form = reference.form.text { "[\($0.title)](#\(anchor($0.title)))" }
        let meaning = reference.text + (reference.needsRestart ? " *Restart.*" : "")
        return
            "| `\(key.name)` | \(cell(form)) | \(cell(text(of: reference.absence))) | \(cell(meaning)) | `\(cell(reference.example))` |"
    }

    private static func text(of absence: KeyAbsence) -> String {
        switch absence {
        case .refused: "**required**"
        case .refusedUnless(let exception, _): "**required**, unless \(exception)"
        case .value(let value): "`\(value)`"
        case .meaning(let meaning): meaning
        }
    }

    private static func cell(_ text: String) -> String { text.replacing("|", with: "\\|") }

    /// Anchor of a heading as GitHub makes it.
    private static func anchor(_ title: String) -> String {
        title.lowercased().replacing(" ", with: "-").filter { $0.isLetter || $0.isNumber || "-_".contains($0) }
    }

    @Test func `docs/configuration.md is generated from the configuration reference`() throws {
        try MadePage(path: "docs/configuration.md", text: Self.page).check()
    }

    @Test func `every key has a description in short sentences and an example`() {
        for section in ConfigurationReference.sections {
            for key in section.keys {
                #expect(key.reference.text.hasSuffix("."), "\(section.title): \(key.name)")
                #expect(!key.reference.example.isEmpty, "\(section.title): \(key.name)")
                for sentence in key.reference.text.split(separator: ". ") {
                    #expect(sentence.split(separator: " ").count <= 35)
                }
            }
        }
    }

    @Test func `section titles are unique, and so are the keys within a section`() {
        let titles = ConfigurationReference.sections.map(\.title)
        #expect(Set(titles).count == titles.count)
        for section in ConfigurationReference.sections {
            let names = section.keys.map(\.name)
            #expect(Set(names).count == names.count, "\(section.title)")
        }
    }
}
