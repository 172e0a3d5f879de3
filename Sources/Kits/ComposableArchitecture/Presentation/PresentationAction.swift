@dynamicMemberLookup
public enum PresentationAction<Action> {
    /// Dismisses the child: sets its state to nil.
    case dismiss

    indirect case presented(Action)
}

extension PresentationAction: Equatable where Action: Equatable {}
extension PresentationAction: Hashable where Action: Hashable {}
extension PresentationAction: Sendable where Action: Sendable {}
extension PresentationAction: Decodable where Action: Decodable {}
extension PresentationAction: Encodable where Action: Encodable {}

extension PresentationAction: CasePathable {
    /// Case paths that also reach the child's actions directly, without `presented`.
    @dynamicMemberLookup
    public struct AllCasePaths: CasePathReflectable, Sendable {
        public subscript(root: PresentationAction) -> PartialCaseKeyPath<PresentationAction> {
            switch root {
            case .dismiss: \.dismiss
            case .presented: \.presented
            }
        }

        public var dismiss: AnyCasePath<PresentationAction, Void> {
            AnyCasePath(embed: { .dismiss }, extract: { if case .dismiss = $0 { () } else { nil } })
        }

        public var presented: AnyCasePath<PresentationAction, Action> {
            AnyCasePath(
                embed: { .presented($0) },
                extract: { if case .presented(let action) = $0 { action } else { nil } })
        }

        /// A case of the child's action: `\.child.saveButtonTapped`.
        public subscript<Member>(
            dynamicMember keyPath: KeyPath<Action.AllCasePaths, AnyCasePath<Action, Member>>
                & Sendable
        ) -> AnyCasePath<PresentationAction, Member> where Action: CasePathable {
            presented.appending(path: Action.allCasePaths[keyPath: keyPath])
        }

        /// The path to one destination's presentation action, for a destination enum:
        /// `\.destination.edit`.
        @_disfavoredOverload
        public subscript<Member>(
            dynamicMember keyPath: KeyPath<Action.AllCasePaths, AnyCasePath<Action, Member>>
                & Sendable
        ) -> AnyCasePath<PresentationAction, PresentationAction<Member>> where Action: CasePathable
        {
            Action.allCasePaths[keyPath: keyPath].throughPresentation()
        }
    }

    public static var allCasePaths: AllCasePaths { AllCasePaths() }

    /// The associated value of a case of the child's action, or nil for other actions.
    public subscript<Member>(dynamicMember keyPath: KeyPath<Action, Member?>) -> Member? {
        if case .presented(let action) = self { action[keyPath: keyPath] } else { nil }
    }
}

extension AnyCasePath {
    /// Converts a path between actions into a path between their presentation actions. Maps
    /// `dismiss` to `dismiss`.
    fileprivate func throughPresentation() -> AnyCasePath<
        PresentationAction<Root>, PresentationAction<Value>
    > {
        AnyCasePath<PresentationAction<Root>, PresentationAction<Value>>(
            embed: { action in
                switch action {
                case .dismiss: .dismiss
                case .presented(let member): .presented(self.embed(member))
                }
            },
            extract: { action in
                switch action {
                case .dismiss: .dismiss
                case .presented(let action): self.extract(from: action).map { .presented($0) }
                }
            }
        )
    }
}
