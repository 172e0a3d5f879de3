import IssueReporting

/// State that is shown and goes away again: a sheet, an alert, a destination of a navigation.
///
/// Write `@Presents var child: Child.State?` in an observable state; `$child` is then the
/// `PresentationState` that ``Reducer/ifLet(_:action:destination:fileID:filePath:line:column:)``
/// takes.
@propertyWrapper
@dynamicMemberLookup
public struct PresentationState<State> {
    /// The state is on the heap, so that a state may present another of its own kind.
    @usableFromInline var storage: [State]
    /// The child that the last action left presented: its effects may be running. No part of the
    /// value, so that two states which show the same are equal.
    @usableFromInline var presented: PresentedIdentity?

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

    /// Reads the state that is shown where it is: a whole feature would be copied otherwise.
    @inlinable
    func read<Result>(_ body: (UnsafePointer<State>) -> Result) -> Result? {
        storage.withUnsafeBufferPointer { states in
            guard !states.isEmpty, let state = states.baseAddress else { return nil }
            return body(state)
        }
    }

    /// Works on the state that is shown where it is; nil if there is none.
    @inlinable
    mutating func modifyIfPresent<Result>(_ body: (inout State) -> Result) -> Result? {
        guard !storage.isEmpty else { return nil }
        return storage.withUnsafeMutableBufferPointer { states in
            states.baseAddress.map { body(&$0.pointee) }
        }
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

extension PresentationState where State: CasePathable {
    /// The value of one case of a presented enum, or nil while another one, or none, is shown.
    ///
    /// Setting it to nil takes the presented state away. Setting it while another case, or none, is
    /// shown reports an issue, and changes nothing.
    public subscript<Case>(case path: CaseKeyPath<State, Case>) -> Case? {
        get { wrappedValue?[case: path] }
        set {
            guard self[case: path] != nil else {
                if newValue != nil {
                    reportIssue(
                        """
                        Can't set '\(Case.self)' of '\(State.self)': another case, or none, is \
                        presented.
                        """
                    )
                }
                return
            }
            wrappedValue = newValue.map { AnyCasePath(path).embed($0) }
        }
    }
}

/// The identity of a presented child.
///
/// An object, which takes less room in a state. Unchecked because `AnyHashable` is not Sendable: it
/// is only compared and hashed.
@usableFromInline
final class PresentedIdentity: @unchecked Sendable {
    @usableFromInline let id: AnyHashable

    @usableFromInline
    init(_ id: AnyHashable) { self.id = id }
}

extension PresentationState: Equatable where State: Equatable {
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.storage == rhs.storage }
}

extension PresentationState: Hashable where State: Hashable {
    public func hash(into hasher: inout Hasher) { hasher.combine(storage) }
}

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
