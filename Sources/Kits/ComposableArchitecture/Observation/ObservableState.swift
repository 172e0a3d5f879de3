import Observation
import Synchronization

/// State whose properties are observed one by one.
///
/// `@ObservableState` adds the conformance to a struct or an enum.
public protocol ObservableState: Observable {
    /// The identity of this value. Replacing the whole value changes the identity; mutating a
    /// property doesn't.
    var _$id: ObservableStateID { get }

    /// Prepares for an in-place mutation of this value.
    mutating func _$willModify()
}

extension ObservableState {
    public mutating func _$willModify() {}
}

public func _$willModify<Value: ObservableState>(_ value: inout Value) {
    value._$willModify()
}

/// Does nothing, for values that aren't observable.
@_disfavoredOverload
public func _$willModify<Value>(_ value: inout Value) {}

/// The identity of an observable value.
///
/// A value and its copies have equal identities, even after mutations. Their properties have the
/// same observers. The version changes with each mutation, which distinguishes a value from its
/// earlier copies.
public struct ObservableStateID: Hashable, Sendable {
    private var location: UInt64
    private var tag = 0
    /// The version of this value. All values with the same location share one sequence of versions.
    private var version: UInt64 = 0
    /// The highest version at this location.
    private var newest: UInt64 = 0

    public init() {
        location = Self.nextLocation.wrappingAdd(1, ordering: .relaxed).newValue
    }

    init(location: UInt64, version: UInt64, newest: UInt64) {
        self.location = location
        self.version = version
        self.newest = newest
    }

    private static let nextLocation = Atomic<UInt64>(0)

    static func makeLocation() -> UInt64 {
        nextLocation.wrappingAdd(1, ordering: .relaxed).newValue
    }

    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.location == rhs.location && lhs.tag == rhs.tag
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(location)
        hasher.combine(tag)
    }

    /// Returns true if `new` is this value, possibly with changed properties. Returns false if
    /// `new` is a different copy with the same location.
    @usableFromInline
    func isSameValue(as new: Self) -> Bool {
        guard self == new else { return false }
        return version == new.version
            || (new.version > version && ThreadMarks.contains(ThreadMarks.isWritingBack))
    }

    /// Returns true if an in-place mutation turned the value `before` into this value. The
    /// observers of changed properties have then been notified. Returns false if the mutation
    /// replaced the value.
    func isContinuation(of before: Self) -> Bool {
        self == before && (version == before.version || version > before.newest)
    }

    /// The identity of enum cases without an associated value.
    public static let _$inert = Self(location: 0, version: 0, newest: 0)

    /// Returns the identity of an enum. The enum's case has the index `tag` and contains this
    /// value.
    public func _$tag(_ tag: Int) -> Self {
        var id = self
        id.tag = id.tag &* 31 &+ tag &+ 1
        return id
    }

    public static func _$id<T: ObservableState>(for value: T) -> Self {
        value._$id
    }

    /// Returns the identity of an observable value, or a new identity for any other value.
    @_disfavoredOverload
    public static func _$id<T>(for value: T) -> Self {
        (value as? any ObservableState)?._$id ?? Self()
    }
}
