/// Returns true if setting the value changes nothing, so that observers need not be notified.
/// Always false for values that are neither observable nor equatable.
@_disfavoredOverload
@inlinable
public func _$isIdentityEqual<Value>(_ lhs: Value, _ rhs: Value) -> Bool {
    false
}

/// Returns true if two plain values are equal.
@_disfavoredOverload
@inlinable
public func _$isIdentityEqual<Value: Equatable>(_ lhs: Value, _ rhs: Value) -> Bool {
    lhs == rhs
}

/// Returns true if two observable values are the same value.
@inlinable
public func _$isIdentityEqual<Value: ObservableState>(_ lhs: Value, _ rhs: Value) -> Bool {
    lhs._$id.isSameValue(as: rhs._$id)
}

/// Returns true if two optional observable values are the same value, or both nil.
@inlinable
public func _$isIdentityEqual<Value: ObservableState>(_ lhs: Value?, _ rhs: Value?) -> Bool {
    switch (lhs, rhs) {
    case (nil, nil): true
    case (let lhs?, let rhs?): lhs._$id.isSameValue(as: rhs._$id)
    default: false
    }
}

/// Returns true if two presentations show the same observable value, or both none.
@inlinable
public func _$isIdentityEqual<Value: ObservableState>(
    _ lhs: PresentationState<Value>, _ rhs: PresentationState<Value>
) -> Bool {
    switch (lhs.read { $0.pointee._$id }, rhs.read { $0.pointee._$id }) {
    case (nil, nil): true
    case (let lhs?, let rhs?): lhs.isSameValue(as: rhs)
    default: false
    }
}

/// Returns true if two collections contain the same observable values in the same order.
@inlinable
public func _$isIdentityEqual<Values: Collection>(_ lhs: Values, _ rhs: Values) -> Bool
where Values.Element: ObservableState {
    lhs.count == rhs.count && zip(lhs, rhs).allSatisfy { $0._$id.isSameValue(as: $1._$id) }
}
