extension Never: CasePathable, CasePathIterable {
    /// The case paths of a type without values: there are none.
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
    /// The case that no value is in.
    public var never: Case<Never> {
        self.appending(path: AnyCasePath(embed: anything(from:), extract: { _ in nil }))
    }
}

/// There is no value to call this with.
@Sendable private func anything<Value>(from never: Never) -> Value {
}
