/// A key path to a case of an enum: `\.contacts.loadContacts`.
///
/// Call it to create the enum from the case's value: `path(value)`.
public typealias CaseKeyPath<Root, Value> = KeyPath<Case<Root>, Case<Value>>

/// A key path to a case with a value of unknown type.
public typealias PartialCaseKeyPath<Root> = PartialKeyPath<Case<Root>>

extension KeyPath {
    /// Creates an enum from the value of the case.
    public func callAsFunction<Enum, AssociatedValue>(
        _ value: AssociatedValue
    ) -> Enum where Root == Case<Enum>, Value == Case<AssociatedValue> {
        AnyCasePath(self).embed(value)
    }

    /// Creates an enum in a case that has no value.
    public func callAsFunction<Enum>() -> Enum where Root == Case<Enum>, Value == Case<Void> {
        AnyCasePath(self).embed(())
    }
}

extension PartialKeyPath {
    /// Creates an enum from a value; returns `nil` if the value doesn't have the case's type.
    @_disfavoredOverload
    public func callAsFunction<Enum>(_ value: Any) -> Enum? where Root == Case<Enum> {
        (Case<Enum>()[keyPath: self] as? any UntypedCase)?.embedUntyped(value) as? Enum
    }
}
