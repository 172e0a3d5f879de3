/// Works on a part of a state; the observers of the property are told only if the part is replaced
/// as a whole.
///
/// A key path to a computed property, as every observed one is, gets a copy and sets it again, so
/// the property cannot see for itself that the value is the one that was there, with properties of
/// its own changed (whose observers have been told), and not a copy that was kept and changed
/// elsewhere. The mark tells it.
@inlinable
func modify<Root, Value, Result>(
    _ root: inout Root, _ keyPath: WritableKeyPath<Root, Value>, _ body: (inout Value) -> Result
) -> Result {
    let marks = ThreadMarks.current
    defer { ThreadMarks.current = marks }
    return marked(&root[keyPath: keyPath], marks | ThreadMarks.isWritingBack, body)
}

/// Sets the mark right before the key path sets the value.
@inlinable
func marked<Value, Result>(_ value: inout Value, _ marks: Int, _ body: (inout Value) -> Result)
    -> Result
{
    defer { ThreadMarks.current = marks }
    return body(&value)
}
