/// A key path to a case of an enum: `\.contacts.loadContacts`.
///
/// Calling the key path with the case's value creates the enum: `path(value)`.
public typealias CaseKeyPath<Root, Value> = KeyPath<Case<Root>, Case<Value>>

/// A key path to a case with a value of unknown type.
public typealias PartialCaseKeyPath<Root> = PartialKeyPath<Case<Root>>

extension KeyPath {
    /// Creates the enum from the value of the case.
    public func callAsFunction<Enum, AssociatedValue>(
        _ value: AssociatedValue
    ) -> Enum where Root == Case<Enum>, Value == Case<AssociatedValue> {
        AnyCasePath(self).embed(value)
    }

    /// Creates the enum in a case without associated values.
    public func callAsFunction<Enum>() -> Enum where Root == Case<Enum>, Value == Case<Void> {
        AnyCasePath(self).embed(())
    }
}

extension PartialKeyPath {
    /// Creates the enum from a value. Returns `nil` if the value doesn't have the case's type.
    @_disfavoredOverload
    public func callAsFunction<Enum>(_ value: Any) -> Enum? where Root == Case<Enum> {
        (Case<Enum>()[keyPath: self] as? any UntypedCase)?.embedUntyped(value) as? Enum
    }
}
