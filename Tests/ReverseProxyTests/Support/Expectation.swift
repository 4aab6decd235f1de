import Testing

/// `#expect` for conditions on noncopyable values, which the macro would try to capture.
func expect(_ holds: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(holds, sourceLocation: sourceLocation)
}
