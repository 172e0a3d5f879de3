import IssueReporting

/// An enum whose cases can be named by key paths. `@CasePathable` writes the conformance.
public protocol CasePathable<AllCasePaths> {
    /// A type with one property for each case, an ``AnyCasePath``.
    associatedtype AllCasePaths

    /// The case paths of this enum.
    static var allCasePaths: AllCasePaths { get }
}

extension CasePathable {
    /// The root of a key path to a case when its type has to be written:
    /// `\Action.Cases.loadContacts`.
    public typealias Cases = Case<Self>
}

/// A collection of case paths that can tell the case of a value.
public protocol CasePathReflectable<Root> {
    associatedtype Root: CasePathable

    /// The key path to the case that a value is.
    subscript(root: Root) -> PartialCaseKeyPath<Root> { get }

    /// The position of the case that a value is; nil where it is not known. To make a key path
    /// takes a microsecond, which is long to ask it with each action. By a pointer, since
    /// unspecialised code copies what it hands over, here a whole feature.
    func _$position(of root: UnsafePointer<Root>) -> Int?
}

extension CasePathReflectable {
    public func _$position(of root: UnsafePointer<Root>) -> Int? { nil }
}

/// An enum whose case paths can be gone through in the order of their declaration.
public protocol CasePathIterable: CasePathable
where AllCasePaths: Sequence, AllCasePaths.Element == PartialCaseKeyPath<Self> {}

extension CasePathable {
    /// The associated value when the enum is a case, else `nil`.
    public subscript<Value>(case keyPath: CaseKeyPath<Self, Value>) -> Value? {
        AnyCasePath(keyPath).extract(from: self)
    }

    /// The associated value, of a type not known, when the enum is a case, else `nil`.
    @_disfavoredOverload
    public subscript(case keyPath: PartialCaseKeyPath<Self>) -> Any? {
        (Case<Self>()[keyPath: keyPath] as? any UntypedCase)?.extractUntyped(from: self)
    }

    /// True if the enum is a case: `action.is(\.contacts.loadContacts)`.
    public func `is`(_ keyPath: PartialCaseKeyPath<Self>) -> Bool {
        self[case: keyPath] != nil
    }

    /// Changes the associated value of a case in place.
    ///
    /// Reports an issue, and changes nothing, when the enum is another case.
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

    /// True if a value is a case, for `switch action { case \.contacts.loadContacts: … }`.
    public static func ~= (keyPath: PartialCaseKeyPath<Self>, value: Self) -> Bool {
        value.is(keyPath)
    }
}

extension CasePathable {
    /// The associated value when the enum is a case, else `nil`: `state.loaded`, for enums with
    /// `@dynamicMemberLookup`.
    public subscript<Value>(dynamicMember keyPath: CaseKeyPath<Self, Value>) -> Value? {
        self[case: keyPath]
    }
}
