import Foundation

/// A request for one page of a list, newest first.
public struct Page: Equatable, Sendable {
    public static let limits = 1...200
    public static let standardLimit = 50

    /// The end of the previous page; nil for the first page.
    public var before: Cursor?
    public var limit: Int

    /// Throws `invalidArgument` for a limit outside 1 to 200.
    public init(before: Cursor? = nil, limit: Int = Page.standardLimit) throws(CommandError) {
        guard Self.limits.contains(limit) else {
            throw .invalidArgument(field: "limit", "A page has 1 to 200 items.")
        }
        self.before = before
        self.limit = limit
    }

    /// A position in a list: an item's time and id. The id orders items of the same millisecond.
    public struct Cursor: Equatable, Sendable, CustomStringConvertible {
        public var milliseconds: Int64
        public var id: UUID

        public init(time: Date, id: UUID) {
            milliseconds = time.milliseconds
            self.id = id
        }

        /// Parses a `description`. Throws `invalidArgument` for anything else.
        public init(_ text: String) throws(CommandError) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].utf8.count <= 15,
                parts[0].utf8.allSatisfy(\.isASCIIDigit),
                let milliseconds = Int64(parts[0]), let id = ID<Page>(String(parts[1]))
            else {
                throw .invalidArgument(
                    field: "before", "Give the `next` value of the previous page.")
            }
            self.milliseconds = milliseconds
            self.id = id.uuid
        }

        public var description: String { "\(milliseconds).\(id.uuidString.lowercased())" }
    }
}
