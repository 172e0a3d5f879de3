import Observation
import Synchronization

/// Records who observes which property of a state.
///
/// Copies of a state share their observers, so a reducer may work on a copy. All registrars are
/// equal and add nothing to a hash: observers aren't part of a state's value.
///
/// `@ObservableState` generates accessors that call the registrar: `access` for each read, `mutate`
/// for each assignment, and `willModify` and `didModify` for each in-place mutation.
public struct ObservationStateRegistrar: Sendable {
    @usableFromInline let extent: Extent
    @usableFromInline var version: UInt64 = 0

    public init() {
        extent = Extent()
    }

    @usableFromInline
    final class Extent: Sendable {
        let location = ObservableStateID.makeLocation()
        let newest = Atomic<UInt64>(0)
        /// True after the first recorded read. Before that read, observers can't exist.
        private let mayBeObserved = Atomic(false)
        /// Made at the first recorded read. On a server, nothing observes the states of stores.
        private let observers = AtomicLazyReference<Observers>()

        @usableFromInline init() {}

        private final class Observers: Sendable {
            let registrar = ObservationRegistrar()
        }

        private var registrar: ObservationRegistrar {
            (observers.load() ?? observers.storeIfNil(Observers())).registrar
        }

        @usableFromInline var isObserved: Bool { mayBeObserved.load(ordering: .relaxed) }

        @usableFromInline
        func access<Subject: Observable, Member>(
            _ subject: Subject, keyPath: KeyPath<Subject, Member>
        ) {
            if !isObserved { mayBeObserved.store(true, ordering: .relaxed) }
            registrar.access(subject, keyPath: keyPath)
        }

        /// Performs a mutation and notifies the observers. Clears the thread's marks first, because
        /// the marks describe a reducer's work, and observers aren't reducers.
        @usableFromInline
        func withMutation<Subject: Observable, Member>(
            of subject: Subject, keyPath: KeyPath<Subject, Member>, _ mutation: () -> Void
        ) {
            ThreadMarks.with(0) { registrar.withMutation(of: subject, keyPath: keyPath, mutation) }
        }
    }

    public var id: ObservableStateID {
        ObservableStateID(
            location: extent.location, version: version,
            newest: extent.newest.load(ordering: .relaxed))
    }

    /// Does nothing. The generated `_$willModify` of a state calls it.
    public mutating func _$willModify() {}

    /// Records that a property was read. Creates the key path only if needed.
    @inlinable
    public func access<Subject: Observable, Member>(
        _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>
    ) {
        if !ThreadMarks.contains(ThreadMarks.isUnobserved) {
            extent.access(subject, keyPath: keyPath())
        }
    }

    /// Sets a property. Notifies the property's observers if the value changes.
    @inlinable
    public mutating func mutate<Subject: Observable, Member, Value>(
        _ subject: Subject,
        keyPath: @autoclosure () -> KeyPath<Subject, Member>,
        _ value: inout Value,
        _ newValue: Value,
        _ isIdentityEqual: (Value, Value) -> Bool
    ) {
        moveOn()
        if let finding = ThreadMarks.finding {
            finding.note(
                keyPath(), told: keyPath(), Value.self,
                at: withUnsafePointer(to: &value) { UnsafeRawPointer($0) }, registrar: address())
        }
        if !extent.isObserved || isIdentityEqual(value, newValue) {
            value = newValue
        } else {
            extent.withMutation(of: subject, keyPath: keyPath()) { value = newValue }
        }
    }

    /// Sets a property's ``PresentationState``. Notifies the observers of the property.
    @inlinable
    public mutating func mutate<Subject: Observable, Member, Value>(
        _ subject: Subject,
        keyPath: @autoclosure () -> KeyPath<Subject, Member>,
        presentation: @autoclosure () -> KeyPath<Subject, PresentationState<Value>>,
        _ value: inout PresentationState<Value>,
        _ newValue: PresentationState<Value>,
        _ isIdentityEqual: (PresentationState<Value>, PresentationState<Value>) -> Bool
    ) {
        moveOn()
        if let finding = ThreadMarks.finding {
            finding.note(
                presentation(), told: keyPath(), PresentationState<Value>.self,
                at: withUnsafePointer(to: &value) { UnsafeRawPointer($0) }, registrar: address())
        }
        if !extent.isObserved || isIdentityEqual(value, newValue) {
            value = newValue
        } else {
            extent.withMutation(of: subject, keyPath: keyPath()) { value = newValue }
        }
    }

    @usableFromInline
    mutating func moveOn() {
        version = extent.newest.wrappingAdd(1, ordering: .relaxed).newValue
    }

    @usableFromInline
    mutating func address() -> UnsafeRawPointer {
        withUnsafePointer(to: &self) { UnsafeRawPointer($0) }
    }

    @inlinable
    func notify<Subject: Observable, Member>(
        _ subject: Subject, keyPath: () -> KeyPath<Subject, Member>
    ) {
        if extent.isObserved { extent.withMutation(of: subject, keyPath: keyPath()) {} }
    }
}

extension ObservationStateRegistrar: Hashable {
    public static func == (lhs: Self, rhs: Self) -> Bool { true }
    public func hash(into hasher: inout Hasher) {}
}

extension ObservationStateRegistrar: Codable {
    public init(from decoder: any Decoder) throws { self.init() }
    public func encode(to encoder: any Encoder) throws {}
}
