/// The place where a state keeps the value of one of its properties, so that a reducer works on it
/// in place.
///
/// A key path to an observed property is a way through its accessors: it copies the value out, and
/// in again, which takes most of the time of a small action. All that the accessors of
/// `@ObservableState` do besides is to tell the registrar. So, once they have shown where the value
/// and the registrar are in the memory of the state, this does as they do. Until then, and for all
/// other properties, it goes by the key path.
///
/// Properties with a `didSet` or a setter of their own still run it: such setters give the
/// registrar a copy, which is not in the memory of the state, so they are called each time.
///
/// `store-bench actions` with it and by key paths alone: 0.8 and 2.2 µs for an action through three
/// `Scope`s and an `ifLet`, 3.1 and 5.6 µs for one of a large presented screen.
///
/// Not Sendable: it belongs to a reducer, and that to one store.
@usableFromInline
final class Place<Root, Value> {
    @usableFromInline let keyPath: WritableKeyPath<Root, Value>
    /// Nil while it is unknown, or when it is not to be known.
    @usableFromInline private(set) var offsets: Offsets?
    @usableFromInline private(set) var isSought = true
    private var notify: ((Root, ObservationStateRegistrar) -> Void)?
    /// Made when somebody observes the property: on the web nobody ever does.
    private lazy var identities = observedIdentities(of: Value.self)

    /// The offset in bytes from the beginning of the state.
    @usableFromInline
    struct Offsets {
        @usableFromInline let value: Int
        @usableFromInline let registrar: Int
    }

    @usableFromInline
    init(_ keyPath: WritableKeyPath<Root, Value>) {
        self.keyPath = keyPath
    }

    /// Looks at the value, which nobody observes here.
    @inlinable
    func read<Result>(_ root: inout Root, _ body: (Value) -> Result) -> Result {
        guard let offsets else { return body(root[keyPath: keyPath]) }
        return withUnsafeMutablePointer(to: &root) { root in
            body(
                (UnsafeMutableRawPointer(root) + offsets.value).assumingMemoryBound(to: Value.self)
                    .pointee)
        }
    }

    /// Works on the value; the observers of the property are told only if it is replaced as a
    /// whole.
    @inlinable
    func modify<Result>(_ root: inout Root, _ body: (inout Value) -> Result) -> Result {
        guard let offsets else {
            return isSought
                ? locate(in: &root, body) : ComposableArchitecture.modify(&root, keyPath, body)
        }
        return withUnsafeMutablePointer(to: &root) { root in
            let memory = UnsafeMutableRawPointer(root)
            let registrar = (memory + offsets.registrar).assumingMemoryBound(
                to: ObservationStateRegistrar.self)
            let value = (memory + offsets.value).assumingMemoryBound(to: Value.self)
            if registrar.pointee.extent.isObserved {
                return modifyObserved(&root.pointee, value, registrar, body)
            }
            registrar.pointee.moveOn()
            return body(&value.pointee)
        }
    }

    @usableFromInline
    func modifyObserved<Result>(
        _ root: inout Root, _ value: UnsafeMutablePointer<Value>,
        _ registrar: UnsafeMutablePointer<ObservationStateRegistrar>,
        _ body: (inout Value) -> Result
    ) -> Result {
        guard let identities, let notify else {
            return ComposableArchitecture.modify(&root, keyPath, body)
        }
        registrar.pointee.moveOn()
        let before = identities(value.pointee)
        let result = body(&value.pointee)
        if !before.isContinued(by: identities(value.pointee)) { notify(root, registrar.pointee) }
        return result
    }

    /// Goes by the key path, and has the registrar say where it finds the value.
    @usableFromInline
    func locate<Result>(in root: inout Root, _ body: (inout Value) -> Result) -> Result {
        let finding = PlaceFinding(keyPath: keyPath)
        let marks = ThreadMarks.current
        return withUnsafeMutablePointer(to: &root) { root in
            let memory = UnsafeRawPointer(root)
            defer { ThreadMarks.current = marks }
            let result = finding.listen(to: &root.pointee[keyPath: keyPath], marks: marks, body)
            ThreadMarks.current = marks
            isSought = false
            if let found = finding.found as? PlaceFinding.Found<Root>,
                let offsets = offsets(of: found, in: memory)
            {
                self.offsets = offsets
                notify = found.notify
            }
            return result
        }
    }

    /// Nil when what was found is outside of the state: accessors that do more work on a copy.
    private func offsets(of found: PlaceFinding.Found<Root>, in memory: UnsafeRawPointer)
        -> Offsets?
    {
        func offset<Part>(of part: UnsafeRawPointer, as _: Part.Type) -> Int? {
            let offset = part - memory
            let isInside =
                offset >= 0 && offset + MemoryLayout<Part>.size <= MemoryLayout<Root>.size
            return isInside && offset % MemoryLayout<Part>.alignment == 0 ? offset : nil
        }
        guard
            let value = offset(of: found.value, as: Value.self),
            let registrar = offset(of: found.registrar, as: ObservationStateRegistrar.self)
        else { return nil }
        return Offsets(value: value, registrar: registrar)
    }
}

/// How to get the identities of observed values; nil for types whose values have none.
private func observedIdentities<Value>(of _: Value.Type) -> ((Value) -> _ObservedIdentities)? {
    func open<Observed: ObservableState>(_: Observed.Type) -> ((Value) -> _ObservedIdentities)? {
        let one: (Observed) -> _ObservedIdentities = { _ObservedIdentities(single: $0._$id) }
        let optional: (Observed?) -> _ObservedIdentities = { _ObservedIdentities(single: $0?._$id) }
        let presented: (PresentationState<Observed>) -> _ObservedIdentities = {
            _ObservedIdentities(single: $0.read { $0.pointee._$id })
        }
        return one as? (Value) -> _ObservedIdentities ?? optional as? (Value) -> _ObservedIdentities
            ?? presented as? (Value) -> _ObservedIdentities
    }
    let type = (Value.self as? any OptionalType.Type)?.wrapped ?? Value.self
    return (type as? any ObservableState.Type).flatMap { open($0) }
}

private protocol OptionalType {
    static var wrapped: Any.Type { get }
}

extension Optional: OptionalType {
    fileprivate static var wrapped: Any.Type { Wrapped.self }
}

extension PresentationState: OptionalType {
    fileprivate static var wrapped: Any.Type { State.self }
}
