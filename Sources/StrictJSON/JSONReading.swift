import CJansson

/// Members of the top-level object that count as equal in meaning, so that readers see one form.
///
/// Nested values stay as they are written.
public struct JSONReading: Sendable {
    /// Whether members that are null are left out.
    private let omitsNullMembers: Bool
    /// The members that are left out if they are an empty array.
    private let omittedIfEmpty: [StaticString]
    /// The members of which an integer of 64 bits is read as a string of its digits.
    private let identifiers: [StaticString]

    public init(omitsNullMembers: Bool = false, omittedIfEmpty: [StaticString] = [], identifiers: [StaticString] = []) {
        self.omitsNullMembers = omitsNullMembers
        self.omittedIfEmpty = omittedIfEmpty
        self.identifiers = identifiers
    }

    public static let asWritten = JSONReading()

    /// Changes a tree that nobody else has seen yet; false: there was no memory for it.
    ///
    /// - Parameters:
    ///   - mayHaveNull: whether there may be a null at all.
    ///   - odd: integers that no `Int64` tells, by the addresses of their nodes.
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
        // Before the member goes that leads to it.
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

/// Puts a string of its digits in the place of an integer; false: there was no memory for it.
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
    /// Lends the text in the form that the library takes; the address is nil only for an empty one.
    fileprivate func withCharacters<Result>(_ body: (UnsafePointer<CChar>?, Int) -> Result) -> Result {
        withSpan { bytes in
            unsafe bytes.withUnsafeBytes { raw in
                unsafe body(raw.baseAddress?.assumingMemoryBound(to: CChar.self), raw.count)
            }
        }
    }
}
