public enum IdentifiedAction<ID: Hashable & Sendable, Action> {
    case element(id: ID, action: Action)
}

/// An action of an `Identifiable` element: `case rows(IdentifiedActionOf<Row>)`.
public typealias IdentifiedActionOf<R: Reducer> = IdentifiedAction<R.State.ID, R.Action>
where R.State: Identifiable, R.State.ID: Sendable

extension IdentifiedAction: Equatable where Action: Equatable {}
extension IdentifiedAction: Hashable where Action: Hashable {}
extension IdentifiedAction: Sendable where Action: Sendable {}
extension IdentifiedAction: Decodable where ID: Decodable, Action: Decodable {}
extension IdentifiedAction: Encodable where ID: Encodable, Action: Encodable {}

extension IdentifiedAction: CasePathable {
    public struct AllCasePaths: CasePathReflectable, Sendable {
        public subscript(root: IdentifiedAction) -> PartialCaseKeyPath<IdentifiedAction> {
            \.element
        }

        public var element: AnyCasePath<IdentifiedAction, (id: ID, action: Action)> {
            AnyCasePath(
                embed: { .element(id: $0.id, action: $0.action) },
                extract: { if case .element(let id, let action) = $0 { (id, action) } else { nil } }
            )
        }

        /// The actions of one element: `\.rows[id: 1].deleteButtonTapped`.
        public subscript(id id: ID) -> AnyCasePath<IdentifiedAction, Action> {
            AnyCasePath(
                embed: { .element(id: id, action: $0) },
                extract: { if case .element(id, let action) = $0 { action } else { nil } }
            )
        }
    }

    public static var allCasePaths: AllCasePaths { AllCasePaths() }
}
