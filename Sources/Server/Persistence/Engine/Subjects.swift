import Domain
import Foundation

/// The people and things that a write changes. Writes about the same subject run one after the
/// other, even if they come from different servers. SQLite has one writer, so it needs no locks for
/// this.
///
/// A write to a contact locks both of its people. A write to a ping locks the dependent, and a
/// write to an alert or anything about it locks the alert's owner. Rows for other people, such as
/// events and notifications, are added without a lock.
public struct Subjects: Sendable {
    /// Finds people from other data, such as the owner of an alert. It runs before the locks are
    /// taken, so the write reads the same data again when it holds the locks.
    public typealias Search = @Sendable (any SQLConnection) throws -> [UserID]

    /// The number of lock rows that all names share. If two names share a row, the only effect is
    /// that their writes wait for each other.
    static let slots = 1024
    /// A separate lock row, held during schema migrations.
    static let migrationSlot = slots

    let people: [UserID]
    let slots: [Int]
    var search: Search?
    /// True if a second run finds the result of the first and changes nothing, for example through
    /// an id made by the client. Only such a write is retried after a commit with an unknown
    /// outcome.
    let isRepeatable: Bool

    public init(_ people: [UserID], isRepeatable: Bool = false, search: Search? = nil) {
        self.init(people, names: [], isRepeatable: isRepeatable, search: search)
    }

    /// - Parameter names: locks for values that belong to no person yet, such as a phone number or
    ///   an address. They are not stored.
    public init(
        _ people: [UserID] = [], names: [String], isRepeatable: Bool = false,
        search: Search? = nil
    ) {
        self.people = people
        self.search = search
        self.isRepeatable = isRepeatable
        slots = Set(names.map(Self.slot)).sorted()
    }

    /// No subjects: for bodies that lock each person with `tryLock`, or only add rows that no other
    /// write changes.
    public static let none = Subjects([], isRepeatable: true)

    /// The lock key of a person or a name.
    enum Key: Hashable, Sendable {
        case person(UserID)
        case slot(Int)
    }

    var keys: Set<Key> { Set(people.map(Key.person) + slots.map(Key.slot)) }

    /// True for the server's own work, such as deadlines and deliveries.
    var isNobody: Bool { people.isEmpty && slots.isEmpty && search == nil }

    /// Hashes with FNV-1a, which is the same on every server, unlike Swift's own hashes.
    private static func slot(of name: String) -> Int {
        let hash = name.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3
        }
        return Int(hash % UInt64(slots))
    }
}
