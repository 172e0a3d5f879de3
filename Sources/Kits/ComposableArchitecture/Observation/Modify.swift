/// Modifies a part of a state. Notifies the part's observers only if the part is replaced.
///
/// An observed property is computed: a key path copies the value, changes the copy, and then calls
/// the setter. The setter can't tell a changed copy of the current value from a different value.
/// The mark `isWritingBack` tells the setter that it receives the changed current value.
@inlinable
func modify<Root, Value, Result>(
    _ root: inout Root, _ keyPath: WritableKeyPath<Root, Value>, _ body: (inout Value) -> Result
) -> Result {
    let marks = ThreadMarks.current
    defer { ThreadMarks.current = marks }
    return marked(&root[keyPath: keyPath], marks | ThreadMarks.isWritingBack, body)
}

/// Sets the marks right before the key path calls the setter.
@inlinable
func marked<Value, Result>(_ value: inout Value, _ marks: Int, _ body: (inout Value) -> Result)
    -> Result
{
    defer { ThreadMarks.current = marks }
    return body(&value)
}
