/// State that is shown and goes away again: a sheet, an alert, a destination of a navigation.
///
/// Write `@Presents var child: Child.State?` in an observable state; `$child` is then the `PresentationState` that
/// ``Reducer/ifLet(_:action:destination:fileID:filePath:line:column:)`` takes.
@propertyWrapper
@dynamicMemberLookup
public struct PresentationState<State> {
    /// On the heap, so that a state may present another of its own kind.
    private var storage: [State]

    public init(wrappedValue: State?) {
        storage = wrappedValue.map { [$0] } ?? []
    }

    /// The state that is shown, or nil.
    public var wrappedValue: State? {
        get { storage.first }
        _modify {
            // Taken out for the time of the access, so that a mutation in place does not copy.
            var value = storage.popLast()
            defer { if let value { storage.append(value) } }
            yield &value
        }
        set { storage = newValue.map { [$0] } ?? [] }
    }

    /// Looks at the state that is shown where it is: a whole feature would be copied otherwise.
    @usableFromInline
    func look<Result>(_ body: (State) -> Result) -> Result? {
        storage.withUnsafeBufferPointer { $0.isEmpty ? nil : body($0[0]) }
    }

    public var projectedValue: Self {
        get { self }
        set { self = newValue }
    }

    /// The value of one case of a presented enum, or nil while another one, or none, is shown.
    public subscript<Case>(dynamicMember keyPath: KeyPath<State, Case?>) -> Case? {
        wrappedValue?[keyPath: keyPath]
    }
}

extension PresentationState: Equatable where State: Equatable {}
extension PresentationState: Hashable where State: Hashable {}
extension PresentationState: Sendable where State: Sendable {}

extension PresentationState: Decodable where State: Decodable {
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try decoder.singleValueContainer().decode(State?.self))
    }
}

extension PresentationState: Encodable where State: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension PresentationState: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(reflecting: wrappedValue as Any)
    }
}
