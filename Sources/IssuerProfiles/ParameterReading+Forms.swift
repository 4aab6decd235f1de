import NetworkNames
import TokenVerification

extension ParameterReading {
    /// Reads a GUID and returns it in lower case. Nil if the parameter is absent or invalid; an invalid one is
    /// reported.
    mutating func guid(_ name: String, hint: String) -> String? {
        text(name).flatMap { guid($0, name, hint: hint) }
    }

    /// Reads a list of GUIDs and returns them in lower case. Nil if the parameter is absent or invalid; an invalid one
    /// is reported.
    mutating func guids(_ name: String, hint: String) -> [String]? {
        guard let texts = texts(name) else { return nil }
        let guids = texts.enumerated().compactMap { guid($1, name, index: $0, hint: hint) }
        return guids.count == texts.count && areDistinct(guids, name) ? guids : nil
    }

    mutating func guid(_ text: String, _ name: String, index: Int? = nil, hint: String) -> String? {
        guard !DirectoryRule.isGUID(text) else { return text.lowercased() }
        let isDomain = text.contains(".")
        return mistaken(
            name, index: index, isDomain ? "`\(text)` is a domain name" : "`\(text)` is not a GUID", hint: hint)
    }

    /// Reads a list of exact names, as tokens contain them. A name with `*` is an error, since patterns are not
    /// supported here. Nil if the parameter is absent or invalid; an invalid one is reported.
    ///
    /// - Parameter claim: the claim that contains one of the names; for the advice.
    mutating func names(_ name: String, of claim: String) -> [String]? {
        guard let texts = texts(name) else { return nil }
        guard let index = texts.firstIndex(where: { $0.contains("*") }) else { return texts }
        return mistaken(
            name, index: index, "`\(texts[index])` has a `*`, and each name stands for itself",
            hint:
                "write whole names here; patterns are for rules and `require`, such as {claims: {\(claim): {glob: \"acme/*\"}}}"
        )
    }

    /// Reports texts that occur twice, and returns true if there are none. The texts must be in a normalized form
    /// already.
    mutating func areDistinct(_ texts: [String], _ name: String) -> Bool {
        var seen: Set<String> = []
        var areDistinct = true
        for (index, text) in texts.enumerated() where !seen.insert(text).inserted {
            error(name, index: index, "has `\(text)` twice", hint: "write it once")
            areDistinct = false
        }
        return areDistinct
    }

    /// Reads a host name, optionally with a port, and returns it in lower case. A URL is an error. Nil if the parameter
    /// is absent or invalid; an invalid one is reported.
    mutating func domain(_ name: String) -> String? {
        text(name).flatMap { domain($0, name) }
    }

    /// Reads the name of a host on the Internet: with a dot and without a port. Nil if the parameter is absent or
    /// invalid; an invalid one is reported.
    mutating func publicDomain(_ name: String) -> String? {
        text(name).flatMap { publicDomain($0, name) }
    }

    /// Reads a list of host names, each in the form of `publicDomain(_:)`. Nil if the parameter is absent or invalid;
    /// an invalid one is reported.
    mutating func domains(_ name: String) -> [String]? {
        guard let texts = texts(name) else { return nil }
        let domains = texts.enumerated().compactMap { publicDomain($1, name, index: $0) }
        return domains.count == texts.count && areDistinct(domains, name) ? domains : nil
    }

    private mutating func publicDomain(_ text: String, _ name: String, index: Int? = nil) -> String? {
        guard let domain = domain(text, name, index: index) else { return nil }
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        let isNumber = labels.last?.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? true
        guard labels.count > 1, !isNumber, !domain.contains(where: { ":[]".contains($0) }) else {
            return mistaken(
                name, index: index, "`\(text)` is not the whole name of a domain",
                hint: "write it with its ending and without a port, such as `example.com`")
        }
        return domain
    }

    private mutating func domain(_ text: String, _ name: String, index: Int? = nil) -> String? {
        if let url = HTTPURL(text) {
            return mistaken(name, index: index, "`\(text)` is a URL", hint: "write the domain only: `\(url.authority)`")
        }
        guard let url = HTTPURL("https://\(text)"), url.target.isEmpty else {
            return mistaken(
                name, index: index, "`\(text)` is not a domain name", hint: "write the domain only, without a path")
        }
        guard let plain = url.authorityWithoutDefaultPort else { return url.authority.lowercased() }
        return mistaken(
            name, index: index, "`\(text)` has the default port, which `iss` never has", hint: "write `\(plain)`")
    }

    /// Reads a URL that is compared with `iss` or that other URLs are made from. A query, upper case in the host and a
    /// default port (which no `iss` has) are errors. Nil if the parameter is absent or invalid; an invalid one is
    /// reported.
    mutating func url(_ name: String) -> HTTPURL? {
        guard let url = text(name).flatMap({ url($0, name) }) else { return nil }
        return isWithoutDefaultPort(url, name) ? url : nil
    }

    /// Reports a URL with the default port of its scheme, and returns false for it.
    mutating func isWithoutDefaultPort(_ url: HTTPURL, _ name: String) -> Bool {
        guard let plain = url.authorityWithoutDefaultPort else { return true }
        let instead = "\(url.scheme.rawValue)://\(plain)\(url.target)"
        error(name, "`\(url.text)` has the default port, which `iss` never has", hint: "write `\(instead)`")
        return false
    }

    mutating func url(_ text: String, _ name: String, index: Int? = nil) -> HTTPURL? {
        guard let url = HTTPURL(text) else {
            return mistaken(name, index: index, "`\(text)` is not a URL", hint: URLSlip(text).hint)
        }
        if let slip = IssuerSlip(url), slip.issuer != nil {
            return mistaken(name, index: index, slip.message, hint: slip.hint)
        }
        guard !url.target.contains("?") else {
            return mistaken(name, index: index, "`\(text)` has a query", hint: "write it without `?` and what follows")
        }
        guard url.text.utf8.elementsEqual(text.utf8), url.authority.utf8.elementsEqual(url.authority.lowercased().utf8)
        else {
            return mistaken(
                name, index: index, "`\(text)` has upper-case letters in its host", hint: "write the host in lower case"
            )
        }
        return url
    }

    /// Reads `extra_issuers`: complete values of `iss`, as the tokens contain them.
    ///
    /// - Parameter ending: required end of each value. Nil if any end is permitted.
    mutating func extraIssuers(ending: String? = nil) -> [String] {
        let name = "extra_issuers"
        var issuers: [String] = []
        for (index, text) in (texts(name) ?? []).enumerated() {
            guard url(text, name, index: index) != nil else { continue }
            guard ending.map(text.hasSuffix) ?? true else {
                error(
                    name, index: index, "`\(text)` does not end with `\(ending ?? "")`",
                    hint: "write `iss` as the tokens have it")
                continue
            }
            issuers.append(text)
        }
        return issuers
    }

    /// Reads a name that becomes part of a URL or an identifier: letters, digits and a few signs. Nil if the parameter
    /// is absent or invalid; an invalid one is reported.
    mutating func word(_ name: String, also signs: String = "-_.", hint: String) -> String? {
        guard let text = text(name) else { return nil }
        return isWord(text, signs) ? text : mistaken(name, "`\(text)` cannot be right", hint: hint)
    }

    /// Reads a list of names, each with the characters of `word(_:also:hint:)`. Nil if the parameter is absent or
    /// invalid; an invalid one is reported.
    mutating func words(_ name: String, also signs: String = "-_.", hint: String) -> [String]? {
        guard let texts = texts(name) else { return nil }
        var areGood = true
        for (index, text) in texts.enumerated() where !isWord(text, signs) {
            error(name, index: index, "`\(text)` cannot be right", hint: hint)
            areGood = false
        }
        return areGood ? texts : nil
    }

    private func isWord(_ text: String, _ signs: String) -> Bool {
        text.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || signs.utf8.contains($0) }
    }
}

extension HTTPURL {
    /// Host and port in lower case, with a written default port removed. Nil if no default port is written.
    fileprivate var authorityWithoutDefaultPort: String? {
        let suffix = ":\(scheme.defaultPort)"
        // The colons of an IPv6 address are within its brackets, so this suffix is a port.
        guard port == scheme.defaultPort, authority.hasSuffix(suffix) else { return nil }
        return authority.dropLast(suffix.count).lowercased()
    }
}
