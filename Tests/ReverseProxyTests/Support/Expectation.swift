import Testing

/// `#expect` for conditions on values that cannot be copied, which the macro would want to keep.
func expect(_ holds: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(holds, sourceLocation: sourceLocation)
}
