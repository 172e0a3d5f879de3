/// The dependencies of a child: those of its parent with some of them changed.
///
/// Made anew only when those of the parent have changed. Not Sendable: it belongs to a reducer, and
/// that to one store.
@usableFromInline
final class DerivedDependencies {
    private let make: (DependencyValues) -> DependencyValues
    private var last: (parent: DependencyValues, child: DependencyValues)?

    /// - Parameter make: Makes the same of the same values, whenever it is called.
    private init(make: @escaping (DependencyValues) -> DependencyValues) {
        self.make = make
    }

    /// - Parameter update: Makes the same of the same values, whenever it is called.
    convenience init(_ update: @escaping (inout DependencyValues) -> Void) {
        self.init(make: { _ in withDependencies(update) { DependencyValues._current } })
    }

    /// The dependencies of a presented feature.
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
