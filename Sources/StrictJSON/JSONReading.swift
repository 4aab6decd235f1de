import CJansson

/// Normalization of the members of a document's top-level object, so that all callers see the same form.
///
/// Values inside those members are not changed.
public struct JSONReading: Sendable {
    /// True if members with the value null are removed.
    private let omitsNullMembers: Bool
    /// Names of the members that are removed if they are an empty array.
    private let omittedIfEmpty: [StaticString]
    /// Names of the members whose 64-bit integers are converted to strings of digits.
    private let identifiers: [StaticString]

    public init(omitsNullMembers: Bool = false, omittedIfEmpty: [StaticString] = [], identifiers: [StaticString] = []) {
        self.omitsNullMembers = omitsNullMembers
        self.omittedIfEmpty = omittedIfEmpty
        self.identifiers = identifiers
    }

    public static let asWritten = JSONReading()

    /// Changes a tree that is not shared yet. Returns false if memory ran out.
    ///
    /// - Parameters:
    ///   - mayHaveNull: false if the text has no null.
    ///   - odd: integers that `Int64` cannot represent, by the addresses of their nodes.
    func apply(to tree: UnsafeMutablePointer<json_t>, mayHaveNull: Bool, except odd: [UInt: [UInt8]]) -> Bool {
        if omitsNullMembers, mayHaveNull { unsafe removeNullMembers(of: tree) }
        for name in omittedIfEmpty { unsafe removeMember(name, ifEmptyIn: tree) }
        return identifiers.allSatisfy { unsafe spellInteger($0, in: tree, except: odd) }
    }
}

private func removeNullMembers(of object: UnsafeMutablePointer<json_t>) {
    guard unsafe object.pointee.type == JSON_OBJECT else { return }
    var position = unsafe json_object_iter(object)
    while let current = unsafe position {
        // Advance before the current member is removed.
        unsafe position = json_object_iter_next(object, current)
        guard let value = unsafe json_object_iter_value(current), unsafe value.pointee.type == JSON_NULL else {
            continue
        }
        unsafe json_object_deln(object, json_object_iter_key(current), json_object_iter_key_len(current))
    }
}

private func removeMember(_ name: StaticString, ifEmptyIn object: UnsafeMutablePointer<json_t>) {
    unsafe name.withCharacters { start, count in
        guard let value = unsafe json_object_getn(object, start, count), unsafe value.pointee.type == JSON_ARRAY,
            unsafe json_array_size(value) == 0
        else { return }
        unsafe json_object_deln(object, start, count)
    }
}

/// Replaces an integer by a string of its digits. Returns false if memory ran out.
private func spellInteger(_ name: StaticString, in object: UnsafeMutablePointer<json_t>, except odd: [UInt: [UInt8]])
    -> Bool
{
    unsafe name.withCharacters { start, count in
        guard let value = unsafe json_object_getn(object, start, count), unsafe value.pointee.type == JSON_INTEGER,
            odd[UInt(bitPattern: value)] == nil
        else { return true }
        var digits: [UInt8] = []
        JSONText.appendInteger(unsafe Int64(json_integer_value(value)), to: &digits)
        return unsafe digits.withUnsafeBytes { raw in
            let text = unsafe json_stringn(raw.baseAddress?.assumingMemoryBound(to: CChar.self), raw.count)
            return unsafe json_object_setn_new(object, start, count, text) == 0
        }
    }
}

extension StaticString {
    /// Calls `body` with the text in Jansson's form. The address may only be nil for an empty text.
    fileprivate func withCharacters<Result>(_ body: (UnsafePointer<CChar>?, Int) -> Result) -> Result {
        withSpan { bytes in
            unsafe bytes.withUnsafeBytes { raw in
                unsafe body(raw.baseAddress?.assumingMemoryBound(to: CChar.self), raw.count)
            }
        }
    }
}
