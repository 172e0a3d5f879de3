/// Modifies a part of a state. Notifies the property's observers only if the part is replaced as a
/// whole.
///
/// Each observed property is a computed property. A key path to a computed property reads a copy,
/// and later sets the property to the changed copy. The property can't tell whether that value is
/// the previous one with changed properties (whose observers were already notified), or a copy that
/// was kept and changed elsewhere. The mark tells the property that it is the previous value.
@inlinable
func modify<Root, Value, Result>(
    _ root: inout Root, _ keyPath: WritableKeyPath<Root, Value>, _ body: (inout Value) -> Result
) -> Result {
    let marks = ThreadMarks.current
    defer { ThreadMarks.current = marks }
    return marked(&root[keyPath: keyPath], marks | ThreadMarks.isWritingBack, body)
}

/// Sets the mark just before the key path sets the value.
@inlinable
func marked<Value, Result>(_ value: inout Value, _ marks: Int, _ body: (inout Value) -> Result)
    -> Result
{
    defer { ThreadMarks.current = marks }
    return body(&value)
}
