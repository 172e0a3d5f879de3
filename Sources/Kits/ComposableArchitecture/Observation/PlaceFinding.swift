import Observation

/// Finds the address of the value that a key path sets. The state's registrar reports the address.
/// ``Place`` explains the benefit.
@usableFromInline
final class PlaceFinding {
    /// The addresses that the registrar reported.
    struct Found<Root> {
        let value: UnsafeRawPointer
        let registrar: UnsafeRawPointer
        let notify: (Root, ObservationStateRegistrar) -> Void
    }

    private let keyPath: AnyKeyPath
    private(set) var found: Any?

    init(keyPath: AnyKeyPath) {
        self.keyPath = keyPath
    }

    /// Lets `body` modify the key path's copy of a value. Then marks the thread, so that the
    /// setter's registrar calls ``note(_:told:_:at:registrar:)``.
    func listen<Value, Result>(to value: inout Value, marks: Int, _ body: (inout Value) -> Result)
        -> Result
    {
        defer {
            ThreadMarks.current = marks | ThreadMarks.isWritingBack | ThreadMarks.address(of: self)
        }
        return body(&value)
    }

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
