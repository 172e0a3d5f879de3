import Observation
import Synchronization

/// A state's observers, by property.
///
/// Copies of a state share their observers, so a reducer may work on a copy of an observed state.
/// All registrars are equal and contribute nothing to a hash, because being observed isn't part of
/// a state's value.
///
/// `@ObservableState` generates, for each stored property:
///
/// ```swift
/// var count: Int {
///     @storageRestrictions(initializes: _count)
///     init(initialValue) { _count = initialValue }
///     get {
///         _$observationRegistrar.access(self, keyPath: \.count)
///         return _count
///     }
///     set {
///         _$observationRegistrar.mutate(
///             self, keyPath: \.count, &_count, newValue, _$isIdentityEqual)
///     }
///     _modify {
///         let oldValue = _$observationRegistrar.willModify(self, keyPath: \.count, &_count)
///         defer {
///             _$observationRegistrar.didModify(
///                 self, keyPath: \.count, &_count, oldValue, _$isIdentityEqual)
///         }
///         yield &_count
///     }
/// }
/// ```
public struct ObservationStateRegistrar: Sendable {
    @usableFromInline let extent: Extent
    @usableFromInline var version: UInt64 = 0

    public init() {
        extent = Extent()
    }

    /// Shared by all copies of a state.
    @usableFromInline
    final class Extent: Sendable {
        let location = ObservableStateID.makeLocation()
        let newest = Atomic<UInt64>(0)
        /// True once observers may exist, because a read was recorded.
        private let mayBeObserved = Atomic(false)
        private let registrar = ObservationRegistrar()

        @usableFromInline init() {}

        @usableFromInline var isObserved: Bool { mayBeObserved.load(ordering: .relaxed) }

        @usableFromInline
        func access<Subject: Observable, Member>(
            _ subject: Subject, keyPath: KeyPath<Subject, Member>
        ) {
            if !isObserved { mayBeObserved.store(true, ordering: .relaxed) }
            registrar.access(subject, keyPath: keyPath)
        }

        /// Performs a mutation and calls the observers. The marks are cleared first: they describe
        /// the work of a reducer, and observers aren't reducers.
        @usableFromInline
        func withMutation<Subject: Observable, Member>(
            of subject: Subject, keyPath: KeyPath<Subject, Member>, _ mutation: () -> Void
        ) {
            ThreadMarks.with(0) { registrar.withMutation(of: subject, keyPath: keyPath, mutation) }
        }
    }

    /// The identity of the state that contains this registrar.
    public var id: ObservableStateID {
        ObservableStateID(
            location: extent.location, version: version,
            newest: extent.newest.load(ordering: .relaxed))
    }

    /// Does nothing. The `_$willModify` of the containing state calls it.
    public mutating func _$willModify() {}

    /// Records that a property was read. The key path is created only if needed.
    @inlinable
    public func access<Subject: Observable, Member>(
        _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>
    ) {
        if !ThreadMarks.contains(ThreadMarks.isUnobserved) {
            extent.access(subject, keyPath: keyPath())
        }
    }

    /// Sets a property, and notifies its observers unless the new value is the same value.
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

    /// Sets the presentation of a property, and notifies the observers of the property itself.
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
