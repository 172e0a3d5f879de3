/// An action of a presented child, or the wish to make it go away.
@dynamicMemberLookup
public enum PresentationAction<Action> {
    /// Makes the child go away: its state becomes nil.
    case dismiss

    /// An action of the child.
    indirect case presented(Action)
}

extension PresentationAction: Equatable where Action: Equatable {}
extension PresentationAction: Hashable where Action: Hashable {}
extension PresentationAction: Sendable where Action: Sendable {}
extension PresentationAction: Decodable where Action: Decodable {}
extension PresentationAction: Encodable where Action: Encodable {}

extension PresentationAction: CasePathable {
    /// The cases, and those of the child's action without `presented` before them.
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

        /// A destination that is a case of the child's action, presented itself:
        /// `\.destination.edit`, to scope a store or a `PresentationAction`.
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

    /// A case of the child's action, if it is that.
    public subscript<Member>(dynamicMember keyPath: KeyPath<Action, Member?>) -> Member? {
        if case .presented(let action) = self { action[keyPath: keyPath] } else { nil }
    }
}

extension AnyCasePath {
    /// The same case of a presented root, presented itself. A dismissal of one is the dismissal of
    /// the other.
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
