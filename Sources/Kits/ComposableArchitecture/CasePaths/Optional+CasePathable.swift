extension Optional: CasePathable, CasePathIterable {
    /// The case paths of an optional, including those of the wrapped enum.
    @dynamicMemberLookup
    public struct AllCasePaths: CasePathReflectable, Sendable, Sequence {
        public subscript(root: Optional) -> PartialCaseKeyPath<Optional> {
            switch root {
            case .none: \.none
            case .some: \.some
            }
        }

        public var none: AnyCasePath<Optional, Void> {
            AnyCasePath(embed: { .none }, extract: { $0 == nil ? () : nil })
        }

        public var some: AnyCasePath<Optional, Wrapped> {
            AnyCasePath(embed: { .some($0) }, extract: { $0 })
        }

        /// The path to a case of the wrapped enum. The path also matches a `nil` root; the value is
        /// then `nil`.
        public subscript<Member>(
            dynamicMember keyPath: KeyPath<Wrapped.AllCasePaths, AnyCasePath<Wrapped, Member>>
                & Sendable
        ) -> AnyCasePath<Optional, Member?> where Wrapped: CasePathable {
            Wrapped.allCasePaths[keyPath: keyPath].throughOptional()
        }

        public func makeIterator() -> some IteratorProtocol<PartialCaseKeyPath<Optional>> {
            [\.none, \.some].makeIterator()
        }
    }

    public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension AnyCasePath {
    /// Returns the path to the same case of an optional root. A `nil` root matches, and its value
    /// is `nil`.
    fileprivate func throughOptional() -> AnyCasePath<Root?, Value?> {
        AnyCasePath<Root?, Value?>(
            embed: { $0.map(self.embed) },
            extract: { root in
                guard let root else { return .some(nil) }
                return self.extract(from: root).map { .some($0) }
            }
        )
    }
}
