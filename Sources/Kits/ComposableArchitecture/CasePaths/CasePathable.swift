import IssueReporting

/// An enum whose cases key paths can name. `@CasePathable` generates the conformance.
public protocol CasePathable<AllCasePaths> {
    /// A type with an ``AnyCasePath`` property for each case.
    associatedtype AllCasePaths

    static var allCasePaths: AllCasePaths { get }
}

extension CasePathable {
    /// The root type of a key path to a case, for code that must name the type:
    /// `\Action.Cases.loadContacts`.
    public typealias Cases = Case<Self>
}

/// Case paths that can tell which case a value is in.
public protocol CasePathReflectable<Root> {
    associatedtype Root: CasePathable

    subscript(root: Root) -> PartialCaseKeyPath<Root> { get }

    /// Returns the index of the value's case in the enum, or `nil` if the indices are unknown.
    ///
    /// Creating a key path instead takes a microsecond, which is too slow to do for every action.
    /// The pointer avoids a copy: unspecialised code would copy the value, which may contain a
    /// whole feature.
    func _$position(of root: UnsafePointer<Root>) -> Int?
}

extension CasePathReflectable {
    public func _$position(of root: UnsafePointer<Root>) -> Int? { nil }
}

/// An enum with case paths that can be iterated in declaration order.
public protocol CasePathIterable: CasePathable
where AllCasePaths: Sequence, AllCasePaths.Element == PartialCaseKeyPath<Self> {}

extension CasePathable {
    /// The associated value of the case, or `nil` if the enum is in another case.
    public subscript<Value>(case keyPath: CaseKeyPath<Self, Value>) -> Value? {
        AnyCasePath(keyPath).extract(from: self)
    }

    @_disfavoredOverload
    public subscript(case keyPath: PartialCaseKeyPath<Self>) -> Any? {
        (Case<Self>()[keyPath: keyPath] as? any UntypedCase)?.extractUntyped(from: self)
    }

    /// Returns true if the enum is in the case: `action.is(\.contacts.loadContacts)`.
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

    /// Returns true if the value is in the case:
    /// `switch action { case \.contacts.loadContacts: … }`.
    public static func ~= (keyPath: PartialCaseKeyPath<Self>, value: Self) -> Bool {
        value.is(keyPath)
    }
}

extension CasePathable {
    /// The associated value of the case, or `nil` if the enum is in another case: `state.loaded`.
    /// The enum needs `@dynamicMemberLookup`.
    public subscript<Value>(dynamicMember keyPath: CaseKeyPath<Self, Value>) -> Value? {
        self[case: keyPath]
    }
}
