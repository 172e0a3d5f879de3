extension Never: CasePathable, CasePathIterable {
    /// Empty, because `Never` is an enum without cases.
    public struct AllCasePaths: CasePathReflectable, Sendable, Sequence {
        public subscript(root: Never) -> PartialCaseKeyPath<Never> {
        }

        public func makeIterator() -> some IteratorProtocol<PartialCaseKeyPath<Never>> {
            EmptyCollection<PartialCaseKeyPath<Never>>().makeIterator()
        }
    }

    public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension Case {
    /// A case that never occurs.
    public var never: Case<Never> {
        self.appending(path: AnyCasePath(embed: anything(from:), extract: { _ in nil }))
    }
}

/// Satisfies the type of `embed`. Never called, because a `Never` value can't exist.
@Sendable private func anything<Value>(from never: Never) -> Value {
}
