/// Reads observable state without observing it, so that later changes notify no observer.
///
/// Code that reads a whole state after each change, such as a server that renders pages, thereby
/// avoids the cost of recording each read and of notifying observers at each change.
///
/// Upstream has no such function; there the closure can be called directly.
///
/// - Parameter body: Reads the state. It may send actions to stores.
/// - Throws: The closure's error.
public func withoutObservation<Result>(_ body: () throws -> Result) rethrows -> Result {
    try ThreadMarks.with(ThreadMarks.current | ThreadMarks.isUnobserved, body)
}
