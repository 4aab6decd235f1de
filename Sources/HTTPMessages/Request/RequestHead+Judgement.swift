extension RequestHead {
    /// Validates the fields that determine the request's authority and end, after all fields were read.
    ///
    /// - Parameter targetAuthority: the authority of an absolute target. Nil for other targets.
    mutating func judge(
        targetAuthority: RequestLine.TargetAuthority?,
        limits: HeadLimits
    ) throws(RequestHeadRejection) {
        authority = try agreedAuthority(targetAuthority)
        do throws(FieldRejection) {
            switch try section.framing(version: version) {
            case .unstated: framing = .none
            case .length(let length): framing = .length(length)
            case .chunked: framing = .chunked
            }
            let options = try section.readConnection(limits: limits)
            keepsAlive = !options.close && (version != .http10 || options.keepAlive)
        } catch {
            throw .field(error)
        }
        expectsContinue = try asksForContinue() && version != .http10
    }

    /// The authority that `Host` and an absolute target agree on (RFC 9112 §3.2). Nil if an HTTP/1.0 request has
    /// neither.
    @inline(__always)
    private func agreedAuthority(_ targetAuthority: RequestLine.TargetAuthority?) throws(RequestHeadRejection)
        -> Authority?
    {
        let bytes = section.bytes.span
        guard let field = section.first(.host) else {
            guard version == .http10 else { throw .missingHost }
            return targetAuthority?.0
        }
        guard section.count(of: .host) == 1 else { throw .repeatedHost }
        guard let host = Authority.parse(field.value, in: bytes) else { throw .invalidHost }
        if let (target, defaultPort) = targetAuthority {
            // RFC 9112 §3.2.2 prefers the target. A reader behind the gateway might prefer the field.
            guard host.agrees(with: target, defaultPort: defaultPort, in: bytes) else { throw .hostContradictsTarget }
        }
        return host
    }

    @inline(__always)
    private func asksForContinue() throws(RequestHeadRejection) -> Bool {
        guard let field = section.first(.expect) else { return false }
        guard section.count(of: .expect) == 1, section.equals(field.value, ignoringCase: "100-continue") else {
            throw .expectationFailed
        }
        return true
    }
}
