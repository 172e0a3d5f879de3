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
        } else if State.self is any CasePathable.Type {
            identify = { childIdentity(of: $0) }
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
}

/// The identity of one state, whose type is looked at now.
func childIdentity<State>(of state: State) -> AnyHashable {
    if State.self is any Identifiable.Type, let state = state as? any Identifiable {
        return identity(of: state)
    }
    guard let type = State.self as? any CasePathable.Type else { return AnyHashable(0) }
    func open<Root: CasePathable>(_: Root.Type) -> AnyHashable {
        guard let root = state as? Root, let path = caseKeyPath(of: root) else { return AnyHashable(0) }
        guard let value = root[case: path] as? any Identifiable else { return AnyHashable(path) }
        return AnyHashable([AnyHashable(path), identity(of: value)])
    }
    return open(type)
}

private func identity(of value: some Identifiable) -> AnyHashable { AnyHashable(value.id) }

private func caseKeyPath<Root: CasePathable>(of root: Root) -> PartialCaseKeyPath<Root>? {
    (Root.allCasePaths as? any CasePathReflectable<Root>)?[root]
}
