extension ResponseHead {
    /// Judges the fields that decide where the response ends, when all are there (RFC 9112 §6.3).
    mutating func judge(requestMethodIsHEAD: Bool, limits: HeadLimits) throws(ResponseHeadRejection) {
        let stated: HeaderSection.Framing
        let options: HeaderSection.ConnectionOptions
        do throws(FieldRejection) {
            stated = try section.framing(version: version)
            options = try section.readConnection(limits: limits)
        } catch {
            throw .field(error)
        }
        framing = try framing(stated, requestMethodIsHEAD: requestMethodIsHEAD)
        keepsAlive = version == .http11 && !options.close && framing != .untilClose
    }

    private func framing(
        _ stated: HeaderSection.Framing,
        requestMethodIsHEAD: Bool
    ) throws(ResponseHeadRejection) -> ResponseBodyFraming {
        if status < 200 || status == 204 {
            try requireNoContent(stated)
            return .none
        }
        // Both may say how a body would have been framed (RFC 9110 §8.6, RFC 9112 §6.1).
        if requestMethodIsHEAD || status == 304 { return .none }
        switch stated {
        case .unstated: return .untilClose
        case .length(let length): return .length(length)
        case .chunked: return .chunked
        }
    }

    /// Refuses a body announced where none can be: its bytes would be the next response to somebody else's request.
    private func requireNoContent(_ stated: HeaderSection.Framing) throws(ResponseHeadRejection) {
        switch stated {
        case .unstated, .length(0): return
        case .length: throw .contentLengthWithoutContent
        case .chunked: throw .transferEncodingWithoutContent
        }
    }
}
