import NetworkNames

extension HeaderSection {
    /// The body framing that the fields state, before the kind of message is taken into account.
    enum Framing {
        case unstated
        case length(Int)
        case chunked
    }

    /// Adds a field. Refuses immediately a combination of framing fields that readers could understand differently (RFC
    /// 9112 §6).
    @inline(__always)
    mutating func admit(_ field: HeaderField, in head: Span<UInt8>) throws(FieldRejection) {
        if let known = field.known, known.isFraming { try admitFraming(known, head.extracting(field.value)) }
        append(field)
    }

    mutating func admitFraming(_ known: KnownField, _ value: Span<UInt8>) throws(FieldRejection) {
        switch known {
        case .contentLength where contains(known): throw .repeatedContentLength
        case .transferEncoding where contains(known): throw .repeatedTransferEncoding
        // Either field would do. A sender of both hopes that two readers choose differently.
        case .contentLength where contains(.transferEncoding): throw .transferEncodingWithContentLength
        case .transferEncoding where contains(.contentLength): throw .transferEncodingWithContentLength
        case .contentLength: contentLength = try ContentLength.parse(value)
        default: return
        }
    }

    /// Validates `Content-Length` and `Transfer-Encoding`. At most one of them is present, and only once.
    func framing(version: HTTPVersion) throws(FieldRejection) -> Framing {
        if let contentLength { return .length(contentLength) }
        guard let transferEncoding = first(.transferEncoding) else { return .unstated }
        guard version != .http10 else { throw .transferEncodingInHTTP10 }
        try TransferEncoding.requireChunked(bytes.span.extracting(transferEncoding.value))
        return .chunked
    }

    /// The options in `Connection` that concern the connection itself.
    struct ConnectionOptions {
        var close = false
        var keepAlive = false
    }

    /// Reads the options of all `Connection` fields and records the field names that they nominate.
    mutating func readConnection(limits: HeadLimits) throws(FieldRejection) -> ConnectionOptions {
        var options = ConnectionOptions()
        guard contains(.connection) else { return options }
        for index in fields.indices where fields[index].known == .connection {
            var elements = ListElements(fields[index].value)
            while let element = elements.next(in: bytes.span) {
                // A recipient must accept empty list elements (RFC 9110 §5.6.1.2).
                if element.isEmpty { continue }
                if equals(element, ignoringCase: "close") {
                    options.close = true
                } else if equals(element, ignoringCase: "keep-alive") {
                    options.keepAlive = true
                } else {
                    try nominate(element, limits: limits)
                }
            }
        }
        return options
    }

    private mutating func nominate(_ name: Range<Int>, limits: HeadLimits) throws(FieldRejection) {
        var hash = FieldNameHash()
        for index in name {
            guard ASCII.isToken(bytes[index]) else { throw .malformedConnection }
            hash.combine(ASCII.folded(bytes[index]))
        }
        guard nominations.count < limits.connectionOptions else { throw .tooManyConnectionOptions }
        switch KnownFieldTable.standard.entry(hash: hash.value, name: bytes.span.extracting(name))?.field {
        // Removing one of these fields would change the meaning of the request. A client must not make the proxy do
        // that.
        case .host, .contentLength, .transferEncoding, .authorization: throw .connectionNominatesProtectedField
        case _ where limits.tokenFields.contains { $0.resembles(bytes.span.extracting(name)) }:
            throw .connectionNominatesProtectedField
        default: nominations.append(Nomination(name: name, hash: hash.value))
        }
    }

    /// Appends the head's bytes, after the blank line was read.
    mutating func take(_ head: Span<UInt8>) {
        unsafe head.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }
}
