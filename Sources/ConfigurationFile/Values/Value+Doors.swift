extension Value {
    /// Reports a key that only forwarded requests feel, in a file with doors. Doors do not forward.
    ///
    /// - Parameter isForDoorsAlone: true if the resource has no upstream.
    func warnOfNoEffectAtDoors(isForDoorsAlone: Bool) {
        if isForDoorsAlone {
            warnPlace(
                "this has no effect: the resource has no `upstream`, and `doors` do not forward",
                hint: "take it out, and write it at the proxy that forwards")
        } else {
            notePlace("at `doors` this has no effect: the proxy that asks there forwards")
        }
    }
}
