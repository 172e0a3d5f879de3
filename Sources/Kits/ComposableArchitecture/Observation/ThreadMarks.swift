#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The kind of work that the thread is doing. Marks apply only to synchronous code, so a task can't
/// carry them to another thread. They are read for each access to a state's property, and reading
/// them is a hundred times cheaper than reading a task local.
///
/// Without marks, ``Place`` isn't used and a reducer's reads count as observed:
/// `store-bench actions` then takes 2.4 instead of 0.8 µs through three `Scope`s and an `ifLet`,
/// and 7.4 instead of 3.1 µs for an action of a large presented screen.
@usableFromInline
enum ThreadMarks {
    /// Reads aren't observed, because a reducer works on its own copy of the state or the code runs
    /// inside ``withoutObservation(_:)``.
    @usableFromInline static let isUnobserved = 1
    /// The value that is being set is the one that was read before, possibly changed.
    @usableFromInline static let isWritingBack = 2

    #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    /// The current marks. If no key could be created, they are always empty; observers are then
    /// notified too often, but never too rarely.
    @usableFromInline static var current: Int {
        get { key.map { Int(bitPattern: pthread_getspecific($0)) } ?? 0 }
        set { if let key { pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue)) } }
    }
    #else
    @usableFromInline static var current: Int {
        get { 0 }
        set {}
    }
    #endif

    /// The search for the address of the value that is being set. Its pointer is stored in the bits
    /// above the marks, which are free because objects are aligned to 16 bytes. The code that
    /// started the search keeps it alive.
    @usableFromInline static var finding: PlaceFinding? {
        UnsafeRawPointer(bitPattern: current & ~0xF).map {
            Unmanaged<PlaceFinding>.fromOpaque($0).takeUnretainedValue()
        }
    }

    static func address(of finding: PlaceFinding) -> Int {
        Int(bitPattern: Unmanaged.passUnretained(finding).toOpaque())
    }

    @usableFromInline
    static func contains(_ mark: Int) -> Bool { current & mark != 0 }

    /// Runs a closure with other marks, then restores the previous ones.
    @inlinable
    static func with<R>(_ marks: Int, _ body: () throws -> R) rethrows -> R {
        let before = current
        current = marks
        defer { current = before }
        return try body()
    }
}
