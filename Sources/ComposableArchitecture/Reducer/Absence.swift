import IssueReporting

/// Reports an action of a child that is not there, at the line of the operator.
func reportAbsent(_ subject: String, _ what: String, action: some Any, origin: SourceOrigin, reasons: [String]) {
    reportIssue(
        """
        \(subject) at "\(origin.fileID):\(origin.line)" received \(what). …

          Action:
        \(dumped(action).indented(by: 4))

        This is generally considered an application logic error, and can happen for a few reasons:

        \(reasons.map { "• \($0)" }.joined(separator: "\n\n"))
        """,
        fileID: origin.fileID, filePath: origin.filePath, line: origin.line, column: origin.column
    )
}

/// What tells one child from another that takes its place: its id if it is identifiable, its case if it is an enum of features.
@usableFromInline
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

extension Optional {
    /// Works on the wrapped value in place; nil if there is none.
    @inlinable
    mutating func modifyIfPresent<Result>(_ body: (inout Wrapped) -> Result) -> Result? {
        // Taken out meanwhile, so that the value is not copied.
        guard var wrapped = take() else { return nil }
        defer { self = wrapped }
        return body(&wrapped)
    }
}
