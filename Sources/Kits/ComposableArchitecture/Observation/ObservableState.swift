import Observation
import Synchronization

/// State with individually observed properties.
///
/// Don't conform to it manually: `@ObservableState` adds the conformance to a struct or an enum.
public protocol ObservableState: Observable {
    /// The identity of this value. It changes when the whole value is replaced, but not when a
    /// property is mutated.
    var _$id: ObservableStateID { get }

    /// Called before the value is mutated in place.
    mutating func _$willModify()
}

extension ObservableState {
    public mutating func _$willModify() {}
}

/// Notifies an observable value that it is about to be mutated in place.
public func _$willModify<Value: ObservableState>(_ value: inout Value) {
    value._$willModify()
}

/// Does nothing for a plain value.
@_disfavoredOverload
public func _$willModify<Value>(_ value: inout Value) {}

/// The identity of an observable state value.
///
/// Two values have equal identities if one was derived from the other by copies and mutations.
/// Their properties then have the same observers. A mutation also increments the value's version,
/// so that an earlier copy can be distinguished from the original.
public struct ObservableStateID: Hashable, Sendable {
    private var location: UInt64
    private var tag = 0
    /// The version of this value at its location.
    private var version: UInt64 = 0
    /// The newest version of any value at this location.
    private var newest: UInt64 = 0

    /// Creates a new, unique identity.
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

    /// Returns true if `new`, which is about to replace this value, is the same value, possibly
    /// with changed properties. Returns false if it is only another value at the same location.
    @usableFromInline
    func isSameValue(as new: Self) -> Bool {
        guard self == new else { return false }
        return version == new.version
            || (new.version > version && ThreadMarks.contains(ThreadMarks.isWritingBack))
    }

    /// Returns true if this value, read after an in-place mutation, is the one from before the
    /// mutation, possibly with changed properties (whose observers were already notified). Returns
    /// false if another value has replaced it.
    func isContinuation(of before: Self) -> Bool {
        self == before && (version == before.version || version > before.newest)
    }

    /// The identity of an enum case without a value.
    public static let _$inert = Self(location: 0, version: 0, newest: 0)

    /// Returns the identity of an enum whose case with the given index contains this value.
    public func _$tag(_ tag: Int) -> Self {
        var id = self
        id.tag = id.tag &* 31 &+ tag &+ 1
        return id
    }

    /// Returns the identity of an observable value.
    public static func _$id<T: ObservableState>(for value: T) -> Self {
        value._$id
    }

    /// Returns the identity of any value: its own if it is observable, otherwise a new, unique one.
    @_disfavoredOverload
    public static func _$id<T>(for value: T) -> Self {
        (value as? any ObservableState)?._$id ?? Self()
    }
}
