import Observation
import Synchronization

/// State whose properties are observed one by one.
///
/// Do not conform to it by hand: `@ObservableState` does it for a struct or an enum.
public protocol ObservableState: Observable {
    /// The identity of this value: changed when the whole value is replaced, kept when a property
    /// of it is mutated.
    var _$id: ObservableStateID { get }

    /// Told before the value is mutated in place.
    mutating func _$willModify()
}

extension ObservableState {
    public mutating func _$willModify() {}
}

/// Tells an observable value that it is about to be mutated in place.
public func _$willModify<Value: ObservableState>(_ value: inout Value) {
    value._$willModify()
}

/// A plain value is told nothing.
@_disfavoredOverload
public func _$willModify<Value>(_ value: inout Value) {}

/// The identity of an observable state value.
///
/// Two values are equal in identity when one came from the other by copies and mutations, so the
/// observers of one's properties are the observers of the other's. A mutation also moves the
/// value's version on, so that a copy that was kept from before it can be told from the value it
/// was copied from.
public struct ObservableStateID: Hashable, Sendable {
    private var location: UInt64
    private var tag = 0
    /// The place of this value in the history of its location.
    private var version: UInt64 = 0
    /// The newest version that any value at this location has.
    private var newest: UInt64 = 0

    /// A new identity, equal to no other.
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

    /// True if a value that is set in place of this one is the very same, or this one with
    /// properties of its own changed; not merely one at the same location.
    @usableFromInline
    func isSameValue(as new: Self) -> Bool {
        guard self == new else { return false }
        return version == new.version
            || (new.version > version && ThreadMarks.contains(ThreadMarks.isWritingBack))
    }

    /// True if this value, read after a mutation in place, is the one that was there before it, at
    /// most with properties of its own changed (whose observers have been told already); not
    /// another one that was put in its place.
    func isContinuation(of before: Self) -> Bool {
        self == before && (version == before.version || version > before.newest)
    }

    /// The identity of an enum case without a value.
    public static let _$inert = Self(location: 0, version: 0, newest: 0)

    /// This identity in the enum case of the given index.
    public func _$tag(_ tag: Int) -> Self {
        var id = self
        id.tag = id.tag &* 31 &+ tag &+ 1
        return id
    }

    /// The identity of an observable value.
    public static func _$id<T: ObservableState>(for value: T) -> Self {
        value._$id
    }

    /// The identity of any value: its own if it is observable, else a new one, equal to no other.
    @_disfavoredOverload
    public static func _$id<T>(for value: T) -> Self {
        (value as? any ObservableState)?._$id ?? Self()
    }
}
