/// What tells one child from another that takes its place: its id if it is identifiable, its case if it is an enum of features.
///
/// Made once for a reducer: to find out what a type conforms to takes longer than to run a small feature.
@usableFromInline
struct ChildIdentity<State> {
    /// Nil if all children are the same.
    @usableFromInline let identify: ((State) -> AnyHashable)?
    /// The identity that they have then. To make one takes long as well.
    @usableFromInline let same = AnyHashable(0)

    @usableFromInline
    init() {
        if let type = State.self as? any Identifiable.Type {
            identify = Self.byID(type)
        } else if let type = State.self as? any CasePathable.Type {
            identify = Self.byCase(type)
        } else {
            identify = nil
        }
    }

    @inlinable
    func of(_ state: State) -> AnyHashable {
        identify?(state) ?? same
    }

    /// Whether a child is still the one with an identity.
    @inlinable
    func isKept(_ identity: AnyHashable, by state: State?) -> Bool {
        guard let state else { return false }
        return identify.map { $0(state) == identity } ?? true
    }

    private static func byID<Value: Identifiable>(_: Value.Type) -> ((State) -> AnyHashable)? {
        let identify: (Value) -> AnyHashable = { AnyHashable($0.id) }
        return identify as? (State) -> AnyHashable
    }

    /// The value of a case is looked at only when it has an identity of its own: a whole feature would be copied for it.
    private static func byCase<Root: CasePathable>(_: Root.Type) -> ((State) -> AnyHashable)? {
        let identify: (Root) -> AnyHashable = { root in
            guard let path = caseKeyPath(of: root) else { return AnyHashable(0) }
            guard valueType(of: path) is any Identifiable.Type, let value = root[case: path] as? any Identifiable else { return AnyHashable(path) }
            return AnyHashable([AnyHashable(path), identity(of: value)])
        }
        return identify as? (State) -> AnyHashable
    }
}

/// The case that a value is.
func caseKeyPath<Root: CasePathable>(of root: Root) -> PartialCaseKeyPath<Root>? {
    (Root.allCasePaths as? any CasePathReflectable<Root>)?[root]
}

/// The type of a case's value.
func valueType<Root>(of path: PartialCaseKeyPath<Root>) -> Any.Type? {
    (type(of: path).valueType as? any UntypedCase.Type)?.valueType
}

private func identity(of value: some Identifiable) -> AnyHashable { AnyHashable(value.id) }
