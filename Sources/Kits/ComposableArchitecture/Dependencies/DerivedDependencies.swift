/// The dependencies of a child: those of its parent with some of them changed.
///
/// Made anew only when those of the parent have changed. Not Sendable: it belongs to a reducer, and
/// that to one store.
@usableFromInline
final class DerivedDependencies {
    private let update: (inout DependencyValues) -> Void
    private var last: (parent: DependencyValues, child: DependencyValues)?

    /// - Parameter update: Makes the same of the same values, whenever it is called.
    @usableFromInline
    init(_ update: @escaping (inout DependencyValues) -> Void) {
        self.update = update
    }

    @usableFromInline
    func with<Result>(_ operation: () -> Result) -> Result {
        let parent = DependencyValues._current
        let child: DependencyValues
        if let last, last.parent.isIdentical(to: parent) {
            child = last.child
        } else {
            child = withDependencies(update) { DependencyValues._current }
            last = (parent, child)
        }
        return DependencyValues.$_current.withValue(child, operation: operation)
    }
}
