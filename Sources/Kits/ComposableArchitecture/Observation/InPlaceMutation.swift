import Observation

/// The identities of a property's values before an in-place mutation. Storing the identities avoids
/// a copy of the values.
public struct _ObservedIdentities: Sendable {
    @usableFromInline var ids: [ObservableStateID]
    @usableFromInline var single: ObservableStateID?

    @usableFromInline
    init(ids: [ObservableStateID] = [], single: ObservableStateID? = nil) {
        self.ids = ids
        self.single = single
    }

    @usableFromInline
    func isContinued(by after: Self) -> Bool {
        guard ids.count == after.ids.count else { return false }
        switch (single, after.single) {
        case (nil, nil): break
        case (let before?, let now?): guard now.isContinuation(of: before) else { return false }
        default: return false
        }
        return zip(after.ids, ids).allSatisfy { $0.isContinuation(of: $1) }
    }
}

// A plain value notifies its observers before the mutation.
extension ObservationStateRegistrar {
    @inlinable
    public mutating func willModify<Subject: Observable, Member, Value>(
        _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>,
        _ value: inout Value
    ) -> _ObservedIdentities {
        moveOn()
        notify(subject, keyPath: keyPath)
        return _ObservedIdentities()
    }

    @inlinable
    public func didModify<Subject: Observable, Member, Value>(
        _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>,
        _ value: inout Value,
        _ oldValue: _ObservedIdentities, _ isIdentityEqual: (Value, Value) -> Bool
    ) {}
}

// An observable value notifies the observers of its own properties. The observers of the property
// that contains the value are notified only if the value was replaced.
extension ObservationStateRegistrar {
    @inlinable
    public mutating func willModify<Subject: Observable, Member, Value: ObservableState>(
        _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>,
        _ value: inout Value
    ) -> _ObservedIdentities {
        moveOn()
        return _ObservedIdentities(single: value._$id)
    }

    @inlinable
    public func didModify<Subject: Observable, Member, Value: ObservableState>(
        _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>,
        _ value: inout Value,
        _ oldValue: _ObservedIdentities, _ isIdentityEqual: (Value, Value) -> Bool
    ) {
        compare(oldValue, _ObservedIdentities(single: value._$id), subject, keyPath)
    }

    @inlinable
    public mutating func willModify<Subject: Observable, Member, Value: ObservableState>(
        _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>,
        _ value: inout Value?
    ) -> _ObservedIdentities {
        moveOn()
        return _ObservedIdentities(single: value?._$id)
    }

    @inlinable
    public func didModify<Subject: Observable, Member, Value: ObservableState>(
        _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>,
        _ value: inout Value?,
        _ oldValue: _ObservedIdentities, _ isIdentityEqual: (Value?, Value?) -> Bool
    ) {
        compare(oldValue, _ObservedIdentities(single: value?._$id), subject, keyPath)
    }

    @inlinable
    public mutating func willModify<Subject: Observable, Member, Value: ObservableState>(
        _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>,
        _ value: inout PresentationState<Value>
    ) -> _ObservedIdentities {
        moveOn()
        return _ObservedIdentities(single: value.read { $0.pointee._$id })
    }

    @inlinable
    public func didModify<Subject: Observable, Member, Value: ObservableState>(
        _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>,
        _ value: inout PresentationState<Value>,
        _ oldValue: _ObservedIdentities,
        _ isIdentityEqual: (PresentationState<Value>, PresentationState<Value>) -> Bool
    ) {
        compare(
            oldValue, _ObservedIdentities(single: value.read { $0.pointee._$id }), subject, keyPath)
    }

    @inlinable
    public mutating func willModify<Subject: Observable, Member, Values: Collection>(
        _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>,
        _ values: inout Values
    ) -> _ObservedIdentities where Values.Element: ObservableState {
        moveOn()
        return _ObservedIdentities(ids: values.map(\._$id))
    }

    @inlinable
    public func didModify<Subject: Observable, Member, Values: Collection>(
        _ subject: Subject, keyPath: @autoclosure () -> KeyPath<Subject, Member>,
        _ values: inout Values,
        _ oldValue: _ObservedIdentities, _ isIdentityEqual: (Values, Values) -> Bool
    ) where Values.Element: ObservableState {
        compare(oldValue, _ObservedIdentities(ids: values.map(\._$id)), subject, keyPath)
    }

    @inlinable
    func compare<Subject: Observable, Member>(
        _ before: _ObservedIdentities, _ after: _ObservedIdentities, _ subject: Subject,
        _ keyPath: () -> KeyPath<Subject, Member>
    ) {
        if !before.isContinued(by: after) { notify(subject, keyPath: keyPath) }
    }
}
