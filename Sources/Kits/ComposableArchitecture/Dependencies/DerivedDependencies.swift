/// The dependencies of a child: its parent's, with some values changed.
///
/// Derived again only after the parent's dependencies changed. Not Sendable: each instance belongs
/// to a reducer of one store.
@usableFromInline
final class DerivedDependencies {
    private let make: (DependencyValues) -> DependencyValues
    private var last: (parent: DependencyValues, child: DependencyValues)?

    /// - Parameter make: Must return the same result for the same values.
    private init(make: @escaping (DependencyValues) -> DependencyValues) {
        self.make = make
    }

    /// - Parameter update: Must make the same change to the same values.
    convenience init(_ update: @escaping (inout DependencyValues) -> Void) {
        self.init(make: { _ in withDependencies(update) { DependencyValues._current } })
    }

    @usableFromInline
    static var ofPresented: DerivedDependencies { DerivedDependencies(make: \.ofPresented) }

    @usableFromInline
    func with<Result>(_ operation: () -> Result) -> Result {
        let parent = DependencyValues._current
        let child: DependencyValues
        if let last, last.parent.isIdentical(to: parent) {
            child = last.child
        } else {
            child = make(parent)
            last = (parent, child)
        }
        return DependencyValues.$_current.withValue(child, operation: operation)
    }
}
