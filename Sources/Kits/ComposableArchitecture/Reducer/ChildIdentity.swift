/// Distinguishes a child from its replacement, by its id or by its enum case.
///
/// Created once per reducer, because checking a type's conformances takes longer than running a
/// small feature.
@usableFromInline
struct ChildIdentity<State> {
    /// `nil` for a type without ids and cases.
    @usableFromInline let identify: ((UnsafePointer<State>) -> AnyHashable)?
    /// The identity of every child if `identify` is nil. Stored, because creating an `AnyHashable`
    /// for each action is slow.
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
    func of(_ state: UnsafePointer<State>) -> AnyHashable {
        identify?(state) ?? same
    }

    @inlinable
    func of(_ state: State) -> AnyHashable {
        guard let identify else { return same }
        return withUnsafePointer(to: state) { identify($0) }
    }

    @inlinable
    func isKept(_ identity: AnyHashable, by state: State?) -> Bool {
        guard let state else { return false }
        return identify == nil || of(state) == identity
    }

    private static func byID<Value: Identifiable>(_: Value.Type) -> (
        (UnsafePointer<State>) -> AnyHashable
    )? {
        let identify: (UnsafePointer<Value>) -> AnyHashable = { AnyHashable($0.pointee.id) }
        return identify as? (UnsafePointer<State>) -> AnyHashable
    }

    private static func byCase<Root: CasePathable>(_: Root.Type) -> (
        (UnsafePointer<State>) -> AnyHashable
    )? {
        let kinds = CaseKinds<Root>()
        let identify: (UnsafePointer<Root>) -> AnyHashable = { root in
            let kind = kinds.of(root)
            guard kind.isIdentifiable, let path = caseKeyPath(of: root.pointee),
                let value = root.pointee[case: path] as? any Identifiable
            else { return kind.id }
            return AnyHashable([kind.id, identity(of: value)])
        }
        return identify as? (UnsafePointer<State>) -> AnyHashable
    }
}

/// Caches properties of the cases of an enum of children.
///
/// Not Sendable: each instance belongs to a reducer of one store.
final class CaseKinds<Root: CasePathable> {
    struct Kind {
        let id: AnyHashable
        /// True if the associated value is `Identifiable`. Reading its id copies the whole value.
        let isIdentifiable: Bool
        let isEphemeral: Bool

        fileprivate static var unknown: Kind {
            Kind(id: AnyHashable(0), isIdentifiable: false, isEphemeral: false)
        }
    }

    private let paths = Root.allCasePaths as? any CasePathReflectable<Root>
    private var kinds: [Kind?] = []

    func of(_ root: UnsafePointer<Root>) -> Kind {
        guard let paths else { return .unknown }
        guard let position = paths._$position(of: root) else {
            return kind(of: paths[root.pointee], id: nil)
        }
        if position < kinds.count, let kind = kinds[position] { return kind }
        let kind = kind(of: paths[root.pointee], id: position)
        while kinds.count <= position { kinds.append(nil) }
        kinds[position] = kind
        return kind
    }

    private func kind(of path: PartialCaseKeyPath<Root>, id: Int?) -> Kind {
        let type = valueType(of: path)
        return Kind(
            id: id.map { AnyHashable($0) } ?? AnyHashable(path),
            isIdentifiable: type is any Identifiable.Type,
            isEphemeral: type is any _EphemeralState.Type)
    }
}

func caseKeyPath<Root: CasePathable>(of root: Root) -> PartialCaseKeyPath<Root>? {
    (Root.allCasePaths as? any CasePathReflectable<Root>)?[root]
}

func valueType<Root>(of path: PartialCaseKeyPath<Root>) -> Any.Type? {
    (type(of: path).valueType as? any UntypedCase.Type)?.valueType
}

private func identity(of value: some Identifiable) -> AnyHashable { AnyHashable(value.id) }
