import Foundation

/// The deadline as the app last knew it, for the widget, which asks no server.
public struct DeadlineSnapshot: Codable, Equatable, Sendable {
    public var lastCheckIn: Date?
    /// nil before the first check-in, and while nobody is signed in.
    public var deadline: Date?

    public init(lastCheckIn: Date? = nil, deadline: Date? = nil) {
        self.lastCheckIn = lastCheckIn
        self.deadline = deadline
    }

    /// Empty when nothing was kept.
    public static func read(in folder: URL) -> DeadlineSnapshot {
        guard let bytes = try? Data(contentsOf: file(in: folder)),
            let snapshot = try? JSONDecoder().decode(DeadlineSnapshot.self, from: bytes)
        else { return DeadlineSnapshot() }
        return snapshot
    }

    /// Throws what the disk throws.
    public func write(in folder: URL) throws {
        try JSONEncoder().encode(self).write(to: Self.file(in: folder), options: .atomic)
    }

    private static func file(in folder: URL) -> URL { folder.appending(path: "deadline.json") }
}
