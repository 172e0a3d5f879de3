@propertyWrapper @dynamicMemberLookup
public struct Binding<Value> {
    private let read: () -> Value
    private let write: (Value) -> Void

    init(read: @escaping () -> Value, write: @escaping (Value) -> Void) {
        (self.read, self.write) = (read, write)
    }
    public static func constant(_ value: Value) -> Binding<Value> {
        Binding(read: { value }, write: { _ in })
    }
    public var wrappedValue: Value {
        get { read() }
        nonmutating set { write(newValue) }
    }
    public var projectedValue: Binding<Value> { self }
    public subscript<Subject>(
        dynamicMember keyPath: WritableKeyPath<Value, Subject>
    ) -> Binding<Subject> {
        Binding<Subject>(
            read: { wrappedValue[keyPath: keyPath] },
            write: { wrappedValue[keyPath: keyPath] = $0 })
    }
}
extension Binding: @unchecked Sendable where Value: Sendable {}

public protocol DynamicProperty {}

@propertyWrapper
public struct State<Value>: DynamicProperty, KeptState {
    /// The storage of a value. Each new instance of the view gets the same storage.
    private final class Kept {
        var value: Value
        init(_ value: Value) { self.value = value }
    }
    private final class Link {
        var kept: Kept
        init(_ kept: Kept) { self.kept = kept }
    }
    private let link: Link

    public init(wrappedValue: Value) { link = Link(Kept(wrappedValue)) }
    public var wrappedValue: Value {
        get { link.kept.value }
        nonmutating set { link.kept.value = newValue }
    }
    public var projectedValue: Binding<Value> {
        Binding(read: { wrappedValue }, write: { wrappedValue = $0 })
    }

    func keep(_ kept: AnyObject?) -> AnyObject {
        if let kept = kept as? Kept { link.kept = kept }
        return link.kept
    }
}
extension State: @unchecked Sendable where Value: Sendable {}

/// A focus that never moves, because a sketch doesn't have a keyboard.
@available(iOS 15.0, *)
@propertyWrapper
public struct FocusState<Value: Hashable>: DynamicProperty {
    @propertyWrapper
    public struct Binding {
        private let value: Value

        init(_ value: Value) { self.value = value }
        public var wrappedValue: Value {
            get { value }
            nonmutating set {}
        }
        public var projectedValue: FocusState<Value>.Binding { self }
    }
    private let value: Value

    public init() where Value == Bool { value = false }
    public var wrappedValue: Value {
        get { value }
        nonmutating set {}
    }
    public var projectedValue: FocusState<Value>.Binding { Binding(value) }
}
extension FocusState: @unchecked Sendable where Value: Sendable {}

@available(iOS 17.0, *)
@propertyWrapper @dynamicMemberLookup
public struct Bindable<Value> {
    public var wrappedValue: Value
    public var projectedValue: Bindable<Value> { self }

    @available(*, unavailable, message: "The wrapped value must be an observable object.")
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}
extension Bindable where Value: AnyObject {
    public subscript<Subject>(
        dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>
    ) -> Binding<Subject> {
        let value = wrappedValue
        return Binding(
            read: { value[keyPath: keyPath] }, write: { value[keyPath: keyPath] = $0 })
    }
}
extension Bindable where Value: Observable, Value: AnyObject {
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public init(_ wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

@available(iOS 14.0, *)
@propertyWrapper
public struct ScaledMetric<Value: BinaryFloatingPoint>: DynamicProperty {
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public init(wrappedValue: Value, relativeTo textStyle: Font.TextStyle) {
        self.wrappedValue = wrappedValue
    }
    public let wrappedValue: Value
}

@propertyWrapper
public struct Environment<Value>: DynamicProperty {
    private let keyPath: KeyPath<EnvironmentValues, Value>

    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { self.keyPath = keyPath }
    public var wrappedValue: Value { EnvironmentValues.current[keyPath: keyPath] }
}
extension Environment: @unchecked Sendable where Value: Sendable {}

public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

public struct EnvironmentValues: Sendable {
    private var values: [ObjectIdentifier: Unchecked<Any>] = [:]

    public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
        get {
            guard let set = values[ObjectIdentifier(key)] else { return K.defaultValue }
            return set.value as? K.Value ?? K.defaultValue
        }
        set { values[ObjectIdentifier(key)] = Unchecked<Any>(newValue) }
    }

    public var scenePhase: ScenePhase { .active }
    public var accessibilityReduceMotion: Bool { false }
    public var isEnabled: Bool { true }
    public var openURL: OpenURLAction { OpenURLAction() }
    public var dynamicTypeSize: DynamicTypeSize { .large }
    public var locale = Locale(identifier: "en_US")
    public var horizontalSizeClass: UserInterfaceSizeClass? { Self.sizes.horizontal }
    public var verticalSizeClass: UserInterfaceSizeClass? { Self.sizes.vertical }

    /// The values of the view that is being drawn. Unsafe, but correct: all views are drawn on the
    /// main actor.
    nonisolated(unsafe) static var current = EnvironmentValues()

    /// The size classes of the current screen. Unsafe, but correct: all views are drawn on the main
    /// actor.
    nonisolated(unsafe) static var sizes = (
        horizontal: UserInterfaceSizeClass.compact, vertical: UserInterfaceSizeClass.regular
    )
}

extension View {
    /// Sets the value for this view, and for the sheets that it presents.
    nonisolated public func environment<V>(
        _ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V
    ) -> some View {
        let content = Drawing(of: self, branch: branch(of: self))
        let set = Unchecked((keyPath: keyPath, value: value))
        return Changed(
            drawing: Drawing(branch: content.branch) { canvas, sketch in
                let outer = EnvironmentValues.current
                EnvironmentValues.current[keyPath: set.value.keyPath] = set.value.value
                content.draw(canvas, &sketch)
                EnvironmentValues.current = outer
            })
    }
}

public enum UserInterfaceSizeClass: Sendable { case compact, regular }

@available(iOS 15.0, *)
public enum DynamicTypeSize: Hashable, Comparable, CaseIterable, Sendable {
    case xSmall, small, medium, large, xLarge, xxLarge, xxxLarge
    case accessibility1, accessibility2, accessibility3, accessibility4, accessibility5
    public var isAccessibilitySize: Bool { self >= .accessibility1 }
}

@available(iOS 14.0, *)
public enum ScenePhase: Comparable, Sendable { case background, inactive, active }

@available(iOS 15.0, *)
@MainActor @preconcurrency
public struct OpenURLAction: Sendable {
    nonisolated init() {}
    public func callAsFunction(_ url: URL) {}
}
