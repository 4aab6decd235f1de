import AccessControl
import StrictJSON

/// Entry of a deny list, as `bearward deny` sends it to the running gateway, which checks it.
struct AskedEntry {
    /// Issuer's name in the file, or the `iss` of a realm.
    let issuer: String
    let attribute: DeniedAttribute
    let value: String
    /// Only tokens issued before this time, and tokens without `iat`. Nil if all are meant.
    var issuedBefore: String?
    /// End of the entry. Nil for the gateway's default.
    var expires: String?
    var note: String?

    /// The entry as a JSON object.
    var json: [UInt8] {
        JSONObjectWriter.object { json, bytes in
            json.member("issuer", string: issuer, into: &bytes)
            json.member(attribute.rawValue, string: value, into: &bytes)
            let others = [("issued_before", issuedBefore), ("expires", expires), ("note", note)]
            for case (let name, let text?) in others { json.member(name, string: text, into: &bytes) }
        }
    }

    /// The tokens that the entry is about, in words.
    var tokens: String {
        let before = issuedBefore.map { ", issued before \($0)" } ?? ""
        return "all tokens of \(attribute.rawValue) \(value) of issuer \(issuer)\(before)".visible
    }
}

extension [AskedEntry] {
    /// Asks whether to deny more than single tokens, after printing the entries. Returns if the answer is yes, or if
    /// each entry denies one token only.
    ///
    /// - Parameter inputIsTaken: true if standard input gave the token.
    /// - Throws: an exit code if the answer is no, or if nobody can answer.
    func confirm(inputIsTaken: Bool) throws {
        let wide = filter { $0.attribute != .tokenID }
        guard !wide.isEmpty else { return }
        for entry in wide { StandardStreams.message(String(decoding: entry.json, as: UTF8.self).visible) }
        let question = "deny \(wide.map(\.tokens).joined(separator: "; and "))?"
        try Confirmation.require(question, inputIsTaken: inputIsTaken)
    }
}
