import Observation

/// Finds the location of the value that a key path sets, with the help of the state's registrar.
/// ``Place`` explains the benefit.
@usableFromInline
final class PlaceFinding {
    /// The value that the property's setter passed to the registrar.
    struct Found<Root> {
        let value: UnsafeRawPointer
        let registrar: UnsafeRawPointer
        /// Notifies the property's observers.
        let notify: (Root, ObservationStateRegistrar) -> Void
    }

    private let keyPath: AnyKeyPath
    private(set) var found: Any?

    init(keyPath: AnyKeyPath) {
        self.keyPath = keyPath
    }

    /// Lets `body` modify a value that a key path has read, and listens while the key path sets it.
    func listen<Value, Result>(to value: inout Value, marks: Int, _ body: (inout Value) -> Result)
        -> Result
    {
        defer {
            ThreadMarks.current = marks | ThreadMarks.isWritingBack | ThreadMarks.address(of: self)
        }
        return body(&value)
    }

    /// Records the location of a property that a state's registrar sets.
    @usableFromInline
    func note<Subject: Observable, Member, Told, Value>(
        _ keyPath: KeyPath<Subject, Member>, told: KeyPath<Subject, Told>, _: Value.Type,
        at value: UnsafeRawPointer, registrar: UnsafeRawPointer
    ) {
        guard keyPath == self.keyPath, Value.self == Member.self else { return }
        found = Found<Subject>(value: value, registrar: registrar) { subject, registrar in
            registrar.notify(subject) { told }
        }
    }
}
