/// Reads observable state without observing it: nobody is told when that changes later.
///
/// Code that looks at the whole of a state whenever the store has changed, such as a server that
/// renders pages, saves the notes that each property takes of being read, and the telling of
/// observers at each change.
///
/// Upstream has no such function; there the closure can be called as it is.
///
/// - Parameter body: What reads the state. Stores may be sent actions in it.
/// - Throws: What the closure throws.
public func withoutObservation<Result>(_ body: () throws -> Result) rethrows -> Result {
    try ThreadMarks.with(ThreadMarks.current | ThreadMarks.isUnobserved, body)
}
