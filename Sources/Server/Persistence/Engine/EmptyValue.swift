import Foundation

/// A non-null pointer for empty values. An empty buffer has no address, and both SQLite and libpq
/// read a null pointer as NULL.
enum EmptyValue {
    // Safe, because it is never changed or freed.
    nonisolated(unsafe) static let pointer: UnsafePointer<CChar> = UnsafePointer(strdup(""))
}
