import IssuerProfiles
import NetworkNames

extension Value {
    /// Reads the URL of a document that is fetched. It must be https, or http to this machine, unless plain http is
    /// permitted. Nil after an error, which is reported.
    func documentURL(permitsPlainHTTP: Bool) -> String? {
        guard let text = someText(expected: "a URL"), judgeURL(text, permitsPlainHTTP: permitsPlainHTTP) != nil else {
            return nil
        }
        return text
    }

    /// Parses a URL. Nil if it is invalid or uses plain http without permission, which is reported.
    ///
    /// - Parameter hint: advice for a text without more specific advice.
    func judgeURL(_ text: String, permitsPlainHTTP: Bool, hint: String = URLSlip.general) -> HTTPURL? {
        guard let url = HTTPURL(text) else {
            guard !text.contains("@") else {
                // The text is not shown, because the part before `@` may be a password.
                return refuse("a URL here has no user name and no password")
            }
            return refuse("`\(text)` is not a URL", hint: URLSlip(text).particularHint ?? hint)
        }
        guard permitsPlainHTTP || !url.isPlainAbroad else { return refuse(PlainHTTP.message, hint: PlainHTTP.hint) }
        return url
    }

    /// Returns the resolved path of a PEM file of trust anchors. Nil if the file is absent or has no certificate block,
    /// which is reported. Warns if no certificate in it is valid now; does not check that all can be parsed.
    func certificateFile() -> String? {
        guard let path = someText(expected: "a path") else { return nil }
        let resolved = reading.resolve(path)
        if let absence = FileOnDisk.absence(at: resolved, writtenAs: path) { return refuse(absence) }
        let pem = (try? FileOnDisk(at: resolved, longest: 1 << 22))?.bytes ?? []
        guard String(decoding: pem, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----") else {
            return refuse("`\(path)` holds no PEM certificate")
        }
        CertificateTimes.judgeAuthorities(pem, self)
        return resolved
    }
}
