import IssuerProfiles
import NetworkNames

extension Value {
    /// The URL of a document that is fetched, as written: https, or http to this machine, or http by permission.
    func documentURL(permitsPlainHTTP: Bool) -> String? {
        guard let text = someText(expected: "a URL"), judgeURL(text, permitsPlainHTTP: permitsPlainHTTP) != nil else {
            return nil
        }
        return text
    }

    /// Reports what is wrong with a URL that this value stands for.
    ///
    /// - Parameter hint: for a text of which nothing better is known.
    func judgeURL(_ text: String, permitsPlainHTTP: Bool, hint: String = URLSlip.general) -> HTTPURL? {
        guard let url = HTTPURL(text) else {
            guard !text.contains("@") else {
                // Not shown: what stands before the sign may be a password.
                report("a URL here has no user name and no password")
                return nil
            }
            report("`\(text)` is not a URL", hint: URLSlip(text).particularHint ?? hint)
            return nil
        }
        guard permitsPlainHTTP || !url.isPlainAbroad else {
            report(PlainHTTP.message, hint: PlainHTTP.hint)
            return nil
        }
        return url
    }

    /// Trust anchors in PEM: the path, resolved.
    func certificateFile() -> String? {
        guard let path = someText(expected: "a path") else { return nil }
        let resolved = reading.resolve(path)
        if let absence = FileOnDisk.absence(at: resolved, writtenAs: path) {
            report(absence)
            return nil
        }
        let pem = (try? FileOnDisk(at: resolved, longest: 1 << 22))?.bytes ?? []
        guard String(decoding: pem, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----") else {
            report("`\(path)` holds no PEM certificate")
            return nil
        }
        CertificateTimes.judgeAuthorities(pem, self)
        return resolved
    }
}
