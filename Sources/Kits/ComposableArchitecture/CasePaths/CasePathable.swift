import IssueReporting

/// An enum with cases that key paths can name. `@CasePathable` generates the conformance.
public protocol CasePathable<AllCasePaths> {
    /// A type with an ``AnyCasePath`` property for each case.
    associatedtype AllCasePaths

    /// The case paths of this enum.
    static var allCasePaths: AllCasePaths { get }
}

extension CasePathable {
    /// The root of a key path to a case, for places where its type must be written:
    /// `\Action.Cases.loadContacts`.
    public typealias Cases = Case<Self>
}

/// A collection of case paths that finds the case of a value.
public protocol CasePathReflectable<Root> {
    associatedtype Root: CasePathable

    /// The key path to a value's case.
    subscript(root: Root) -> PartialCaseKeyPath<Root> { get }

    /// Returns the position of a value's case among the enum's cases; nil if the positions are
    /// unknown. Creating a key path instead would take a microsecond, which is too long for every
    /// action. The value is passed by pointer: unspecialised code would copy it, and it may contain
    /// a whole feature.
    func _$position(of root: UnsafePointer<Root>) -> Int?
}

extension CasePathReflectable {
    public func _$position(of root: UnsafePointer<Root>) -> Int? { nil }
}

/// An enum with case paths that can be iterated in declaration order.
public protocol CasePathIterable: CasePathable
where AllCasePaths: Sequence, AllCasePaths.Element == PartialCaseKeyPath<Self> {}

extension CasePathable {
    /// The associated value if the enum is in this case, otherwise `nil`.
    public subscript<Value>(case keyPath: CaseKeyPath<Self, Value>) -> Value? {
        AnyCasePath(keyPath).extract(from: self)
    }

    /// The associated value, of unknown type, if the enum is in this case, otherwise `nil`.
    @_disfavoredOverload
    public subscript(case keyPath: PartialCaseKeyPath<Self>) -> Any? {
        (Case<Self>()[keyPath: keyPath] as? any UntypedCase)?.extractUntyped(from: self)
    }

    /// Returns true if the enum is in a case: `action.is(\.contacts.loadContacts)`.
    public func `is`(_ keyPath: PartialCaseKeyPath<Self>) -> Bool {
        self[case: keyPath] != nil
    }

    /// Modifies the associated value of a case in place.
    ///
    /// Reports an issue and changes nothing if the enum is in another case.
    public mutating func modify<Value>(
        _ keyPath: CaseKeyPath<Self, Value>,
        yield: (inout Value) -> Void,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) {
        let path = AnyCasePath(keyPath)
        if path.modifyIfPresent(&self, yield) == nil {
            reportIssue(
                """
                Can't modify a case of '\(Self.self)' with a value of '\(Value.self)': the enum is \
                another case.

                  \(self)
                """,
                fileID: fileID, filePath: filePath, line: line, column: column
            )
        }
    }

    /// Returns true if a value is in a case, for
    /// `switch action { case \.contacts.loadContacts: … }`.
    public static func ~= (keyPath: PartialCaseKeyPath<Self>, value: Self) -> Bool {
        value.is(keyPath)
    }
}

extension CasePathable {
    /// The associated value if the enum is in this case, otherwise `nil`: `state.loaded`, for enums
    /// with `@dynamicMemberLookup`.
    public subscript<Value>(dynamicMember keyPath: CaseKeyPath<Self, Value>) -> Value? {
        self[case: keyPath]
    }
}
