import AccessControl

/// Place of a resource (host and path), with the value that names it.
struct WrittenPlace {
    let pattern: PlacePattern
    let value: Value
    /// Path as the file spells it, from its first slash. Empty for a whole host.
    let path: Substring
}

extension WrittenPlace {
    /// Hosts that mean every host in other gateways.
    fileprivate static let catchAlls: Set<String> = ["_", "default", "default_server", "0.0.0.0", "[::]"]

    /// Notes a host that means every host in other gateways. Here clients must send exactly this name.
    fileprivate func noteCatchAll() {
        let host = pattern.withoutPath.description
        guard Self.catchAlls.contains(host) else { return }
        value.notePlace(
            "`\(host)` is a host here, which clients would have to name",
            hint: "write `at: \(pattern.onAnyHost)` for every host")
    }
}

/// Reads the places of resources (host and path): `at`, or otherwise the identifier.
struct PlacesReader {
    /// Places of all resources so far, each with the value that names it first.
    private(set) var taken: [PlacePattern: Value] = [:]

    /// Reads the place that an identifier names. The identifier is checked even if `at` replaces it, because clients
    /// send the identifier as `resource` (RFC 8707 §2). Nil if the identifier is only a name, or after an error, which
    /// is reported.
    static func place(ofIdentifier member: Value.Member) -> WrittenPlace? {
        do throws(PlaceRejection) {
            guard let pattern = try PlacePattern(resourceIdentifier: member.key) else { return nil }
            let authority = member.key.firstRange(of: "://")?.upperBound ?? member.key.startIndex
            return WrittenPlace(pattern: pattern, value: member.value, path: member.key[authority...].fromFirstSlash)
        } catch {
            let text = error.text
            return member.refuseKey("the identifier is not the URL of a resource: \(text.message)", hint: text.hint)
        }
    }

    mutating func read(
        _ at: Value?, _ ofIdentifier: WrittenPlace?, _ member: Value.Member, _ parameters: PathParameters
    ) -> [WrittenPlace] {
        let written = at.map(Self.places) ?? ofIdentifier.map { [$0] } ?? []
        if at == nil, ofIdentifier == nil, !Self.looksLikeURL(member.key) {
            member.value.reportMissing(
                "`at` is missing",
                hint:
                    "`\(member.key)` is only a name: write where it is, such as `at: \(Self.proposedPlace(for: member.key))`"
            )
        }
        for place in written {
            if place.pattern.hasParameters { parameters.judge(place.value) }
            if let lookalikes = PatternLookalikes(in: place.path) {
                Self.warn(of: lookalikes, at: at == nil ? nil : place.value, member)
            }
            place.noteCatchAll()
            if let first = taken[place.pattern] {
                let message = "the place `\(place.pattern)` is already taken at \(first.place)"
                at == nil ? member.reportKey(message) : place.value.report(message)
            } else {
                taken[place.pattern] = place.value
            }
        }
        return written
    }

    /// Warns of segments that look like patterns. In an identifier no escape is suggested: the identifier is also the
    /// audience, so an escape would change the audience.
    private static func warn(of lookalikes: PatternLookalikes, at: Value?, _ member: Value.Member) {
        guard let at else {
            let hint = "patterns belong in `rules`; write `at` with \(lookalikes.escaped) for the literal"
            return member.warnKey(lookalikes.message, hint: hint)
        }
        at.warn(lookalikes.message, hint: "patterns belong in `rules`; write \(lookalikes.escaped) for the literal")
    }

    /// Proposal for `at`: the place that the name looks like, or otherwise a path with that name.
    private static func proposedPlace(for name: String) -> String {
        if let place = try? PlacePattern(at: name), !place.isBareWord { return FlowText.of(name) }
        return (try? PlacePattern(at: "/\(name)")) == nil ? "/orders" : FlowText.of("/\(name)")
    }

    private static func looksLikeURL(_ identifier: String) -> Bool {
        ["http://", "https://"].contains { identifier.lowercased().hasPrefix($0) }
    }

    private static func places(_ at: Value) -> [WrittenPlace] {
        guard let elements = at.someElements(of: "place", expected: "a place or a list of places") else { return [] }
        return elements.compactMap { element in
            guard let text = element.someText(expected: "a place such as `/path` or `host/path`") else { return nil }
            do throws(PlaceRejection) {
                let pattern = try PlacePattern(at: text)
                if pattern.isBareWord, !WrittenPlace.catchAlls.contains(text) {
                    element.warn("`\(text)` is a host here, not a path", hint: "write `/\(text)` for the path")
                }
                return WrittenPlace(pattern: pattern, value: element, path: text.fromFirstSlash)
            } catch {
                return element.refuse(error.text)
            }
        }
    }
}
