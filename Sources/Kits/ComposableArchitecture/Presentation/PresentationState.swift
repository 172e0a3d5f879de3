import IssueReporting

/// State that can be shown and dismissed: a sheet, an alert, a navigation destination.
///
/// Write `@Presents var child: Child.State?` in an observable state; `$child` is then the
/// `PresentationState` that ``Reducer/ifLet(_:action:destination:fileID:filePath:line:column:)``
/// takes.
@propertyWrapper
@dynamicMemberLookup
public struct PresentationState<State> {
    /// An array, because a state that presents another state of its own type must store it on the
    /// heap.
    @usableFromInline var storage: [State]
    /// The child that was presented after the last action and that may have running effects. It
    /// isn't part of the value, so two states that present the same child are equal.
    @usableFromInline var presented: PresentedIdentity?

    public init(wrappedValue: State?) {
        storage = wrappedValue.map { [$0] } ?? []
    }

    /// The presented state, or nil.
    public var wrappedValue: State? {
        get { storage.first }
        _modify {
            // The value is removed during the access, so that an in-place mutation doesn't copy it.
            var value = storage.popLast()
            defer { if let value { storage.append(value) } }
            yield &value
        }
        set { storage = newValue.map { [$0] } ?? [] }
    }

    /// Reads the presented state in place, because a copy would include a whole feature.
    @inlinable
    func read<Result>(_ body: (UnsafePointer<State>) -> Result) -> Result? {
        storage.withUnsafeBufferPointer { states in
            guard !states.isEmpty, let state = states.baseAddress else { return nil }
            return body(state)
        }
    }

    /// Modifies the presented state in place; returns nil if there is none.
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

    /// The value of one case of a presented enum; nil if another case, or none, is presented.
    public subscript<Case>(dynamicMember keyPath: KeyPath<State, Case?>) -> Case? {
        wrappedValue?[keyPath: keyPath]
    }
}

extension PresentationState where State: CasePathable {
    /// The value of one case of a presented enum; nil if another case, or none, is presented.
    ///
    /// Setting it to nil dismisses the presented state. Setting a value while another case, or
    /// none, is presented reports an issue and changes nothing.
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
/// It is an object, so that a state stores only a pointer. Unchecked because `AnyHashable` is not
/// Sendable; it is only compared and hashed.
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
