import Foundation

/// A non-null pointer for empty values. An empty buffer has a null pointer, which SQLite and libpq
/// both read as NULL.
enum EmptyValue {
    // Safe across threads, because the memory is never changed or freed.
    nonisolated(unsafe) static let pointer: UnsafePointer<CChar> = UnsafePointer(strdup(""))
}
