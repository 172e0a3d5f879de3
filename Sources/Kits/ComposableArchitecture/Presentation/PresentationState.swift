import IssueReporting

/// State that can be presented and dismissed, such as a sheet or an alert.
///
/// An observable state declares `@Presents var child: Child.State?`. The `PresentationState` is
/// then `$child`, for ``Reducer/ifLet(_:action:destination:fileID:filePath:line:column:)``.
@propertyWrapper
@dynamicMemberLookup
public struct PresentationState<State> {
    /// At most one value. An array, because a recursive state must be stored on the heap.
    @usableFromInline var storage: [State]
    /// The child that was presented after the last action, if it can have running effects. Not part
    /// of the value: states that present the same child are equal.
    @usableFromInline var presented: PresentedIdentity?

    public init(wrappedValue: State?) {
        storage = wrappedValue.map { [$0] } ?? []
    }

    public var wrappedValue: State? {
        get { storage.first }
        _modify {
            // Takes the value out of the array, so that an in-place mutation doesn't copy the
            // value.
            var value = storage.popLast()
            defer { if let value { storage.append(value) } }
            yield &value
        }
        set { storage = newValue.map { [$0] } ?? [] }
    }

    /// Reads the presented state in place, because the state may contain a whole feature.
    @inlinable
    func read<Result>(_ body: (UnsafePointer<State>) -> Result) -> Result? {
        storage.withUnsafeBufferPointer { states in
            guard !states.isEmpty, let state = states.baseAddress else { return nil }
            return body(state)
        }
    }

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

    /// The associated value of one case of a presented enum, or nil if that case isn't presented.
    public subscript<Case>(dynamicMember keyPath: KeyPath<State, Case?>) -> Case? {
        wrappedValue?[keyPath: keyPath]
    }
}

extension PresentationState where State: CasePathable {
    /// The associated value of one case of a presented enum, or nil if that case isn't presented.
    ///
    /// Setting nil dismisses the presented state. Setting a value reports an issue and changes
    /// nothing, unless that case is presented.
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
/// A class, so that a state stores only a pointer. Unchecked because `AnyHashable` isn't Sendable;
/// the id is only compared and hashed.
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
