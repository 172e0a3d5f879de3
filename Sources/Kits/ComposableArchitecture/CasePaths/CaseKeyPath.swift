/// A key path to a case of an enum: `\.contacts.loadContacts`.
///
/// Call it to make the enum from the case's value: `path(value)`.
public typealias CaseKeyPath<Root, Value> = KeyPath<Case<Root>, Case<Value>>

/// A key path to a case whose value's type is not known.
public typealias PartialCaseKeyPath<Root> = PartialKeyPath<Case<Root>>

extension KeyPath {
    /// Makes an enum from the value of the case.
    public func callAsFunction<Enum, AssociatedValue>(
        _ value: AssociatedValue
    ) -> Enum where Root == Case<Enum>, Value == Case<AssociatedValue> {
        AnyCasePath(self).embed(value)
    }

    /// Makes an enum of a case that has no value.
    public func callAsFunction<Enum>() -> Enum where Root == Case<Enum>, Value == Case<Void> {
        AnyCasePath(self).embed(())
    }
}

extension PartialKeyPath {
    /// Makes an enum from a value, `nil` when the value is not of the case's type.
    @_disfavoredOverload
    public func callAsFunction<Enum>(_ value: Any) -> Enum? where Root == Case<Enum> {
        (Case<Enum>()[keyPath: self] as? any UntypedCase)?.embedUntyped(value) as? Enum
    }
}
