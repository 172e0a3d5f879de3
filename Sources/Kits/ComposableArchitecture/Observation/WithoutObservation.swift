/// Reads observable state without recording the reads. Later changes then notify no observers.
///
/// Saves time where code reads a whole state after each change, such as a server that renders
/// pages.
///
/// - Parameter body: Reads the state. It may send actions to stores.
public func withoutObservation<Result>(_ body: () throws -> Result) rethrows -> Result {
    try ThreadMarks.with(ThreadMarks.current | ThreadMarks.isUnobserved, body)
}
