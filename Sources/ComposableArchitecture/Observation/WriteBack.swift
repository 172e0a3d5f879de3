/// Tells the mutation of a part of a state from its replacement where a key path is used.
///
/// A key path to a computed property, as every observed one is, gets a copy and sets it again, so the property cannot see for itself that the value is the
/// one that was there, with properties of its own changed (whose observers have been told), and not a copy that was kept and changed elsewhere.
@usableFromInline
enum WriteBack {
    /// Whether what is set now is what was got right before.
    @TaskLocal static var isActive = false

    @usableFromInline
    static func perform(_ set: () -> Void) {
        $isActive.withValue(true, operation: set)
    }
}

/// Works on a part of a state; the observers of the property are told only if the part is replaced as a whole.
@inlinable
func modify<Root, Value, Result>(_ root: inout Root, _ keyPath: WritableKeyPath<Root, Value>, _ body: (inout Value) -> Result) -> Result {
    var value = root[keyPath: keyPath]
    let result = body(&value)
    WriteBack.perform { root[keyPath: keyPath] = value }
    return result
}
