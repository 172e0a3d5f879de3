import Observation

/// Hears from the registrar of a state where the value is that a key path sets. What it gains is
/// written at ``Place``.
@usableFromInline
final class PlaceFinding {
    /// The value that the property's setter gave to the registrar.
    struct Found<Root> {
        let value: UnsafeRawPointer
        let registrar: UnsafeRawPointer
        /// Tells the observers of the property.
        let notify: (Root, ObservationStateRegistrar) -> Void
    }

    private let keyPath: AnyKeyPath
    private(set) var found: Any?

    init(keyPath: AnyKeyPath) {
        self.keyPath = keyPath
    }

    /// Works on a value that a key path has got, and listens while it sets it.
    func listen<Value, Result>(to value: inout Value, marks: Int, _ body: (inout Value) -> Result)
        -> Result
    {
        defer {
            ThreadMarks.current = marks | ThreadMarks.isWritingBack | ThreadMarks.address(of: self)
        }
        return body(&value)
    }

    /// The registrar of a state sets a property.
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
