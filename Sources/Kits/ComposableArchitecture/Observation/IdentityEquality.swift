/// True if setting the value changes nothing, so that no observer has to be told. Always false for
/// values that are neither observable nor equatable.
@_disfavoredOverload
@inlinable
public func _$isIdentityEqual<Value>(_ lhs: Value, _ rhs: Value) -> Bool {
    false
}

/// True if two plain values are equal.
@_disfavoredOverload
@inlinable
public func _$isIdentityEqual<Value: Equatable>(_ lhs: Value, _ rhs: Value) -> Bool {
    lhs == rhs
}

/// True if two observable values are one and the same.
@inlinable
public func _$isIdentityEqual<Value: ObservableState>(_ lhs: Value, _ rhs: Value) -> Bool {
    lhs._$id.isSameValue(as: rhs._$id)
}

/// True if two optional observable values are one and the same, or both absent.
@inlinable
public func _$isIdentityEqual<Value: ObservableState>(_ lhs: Value?, _ rhs: Value?) -> Bool {
    switch (lhs, rhs) {
    case (nil, nil): true
    case (let lhs?, let rhs?): lhs._$id.isSameValue(as: rhs._$id)
    default: false
    }
}

/// True if two presentations show one and the same observable value, or none.
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

/// True if two collections hold the same observable values in the same order.
@inlinable
public func _$isIdentityEqual<Values: Collection>(_ lhs: Values, _ rhs: Values) -> Bool
where Values.Element: ObservableState {
    lhs.count == rhs.count && zip(lhs, rhs).allSatisfy { $0._$id.isSameValue(as: $1._$id) }
}
