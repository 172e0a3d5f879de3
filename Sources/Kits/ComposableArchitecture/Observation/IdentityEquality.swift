/// Returns false, so that each assignment notifies observers. Overloads handle observable and
/// equatable values.
@_disfavoredOverload
@inlinable
public func _$isIdentityEqual<Value>(_ lhs: Value, _ rhs: Value) -> Bool {
    false
}

@_disfavoredOverload
@inlinable
public func _$isIdentityEqual<Value: Equatable>(_ lhs: Value, _ rhs: Value) -> Bool {
    lhs == rhs
}

/// Returns true if `rhs` is the same observable value, possibly with changed properties.
@inlinable
public func _$isIdentityEqual<Value: ObservableState>(_ lhs: Value, _ rhs: Value) -> Bool {
    lhs._$id.isSameValue(as: rhs._$id)
}

@inlinable
public func _$isIdentityEqual<Value: ObservableState>(_ lhs: Value?, _ rhs: Value?) -> Bool {
    switch (lhs, rhs) {
    case (nil, nil): true
    case (let lhs?, let rhs?): lhs._$id.isSameValue(as: rhs._$id)
    default: false
    }
}

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

@inlinable
public func _$isIdentityEqual<Values: Collection>(_ lhs: Values, _ rhs: Values) -> Bool
where Values.Element: ObservableState {
    lhs.count == rhs.count && zip(lhs, rhs).allSatisfy { $0._$id.isSameValue(as: $1._$id) }
}
