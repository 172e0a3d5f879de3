import Foundation

/// The address of an empty value. An empty buffer has none, and both SQLite and libpq read no
/// address as NULL.
enum EmptyValue {
    // Safe, because nobody changes or frees it.
    nonisolated(unsafe) static let pointer: UnsafePointer<CChar> = UnsafePointer(strdup(""))
}
