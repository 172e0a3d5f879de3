import Domain
import Foundation

/// The people and things that a write changes. Writes about the same subject run one after the
/// other, whichever server they come from. SQLite has one writer, and needs no locks for that.
///
/// A contact is locked with both of its people, a ping with its dependent, an alert and everything
/// about it with its owner. Rows for somebody else, such as events and
/// notifications, are added without a lock.
public struct Subjects: Sendable {
    /// Finds people by what is given, such as the owner of an alert. It runs before the locks, so
    /// the write reads its findings again after them.
    public typealias Search = @Sendable (any SQLConnection) throws -> [UserID]

    /// How many rows stand for all names. Names that share a row only wait for each other.
    static let slots = 1024
    /// A row of its own, held while the schema is brought up to date.
    static let migrationSlot = slots

    let people: [UserID]
    let slots: [Int]
    var search: Search?
    /// A repeat finds what the first run has left and changes nothing, for example by an id that
    /// the client made. Only such a write runs again when nobody knows whether it was committed.
    let isRepeatable: Bool

    public init(_ people: [UserID], isRepeatable: Bool = false, search: Search? = nil) {
        self.init(people, names: [], isRepeatable: isRepeatable, search: search)
    }

    /// - Parameter names: what has no person yet, such as a phone number or an address. They are
    ///   not stored.
    public init(
        _ people: [UserID] = [], names: [String], isRepeatable: Bool = false,
        search: Search? = nil
    ) {
        self.people = people
        self.search = search
        self.isRepeatable = isRepeatable
        slots = Set(names.map(Self.slot)).sorted()
    }

    /// The body takes each person by `tryLock`, or adds rows that nobody else changes.
    public static let none = Subjects([], isRepeatable: true)

    /// Each of the people and names, by what stands for it.
    enum Key: Hashable, Sendable {
        case person(UserID)
        case slot(Int)
    }

    var keys: Set<Key> { Set(people.map(Key.person) + slots.map(Key.slot)) }

    /// True for the server's own work, such as deadlines and deliveries.
    var isNobody: Bool { people.isEmpty && slots.isEmpty && search == nil }

    /// FNV-1a: the same on every server, unlike Swift's own hashes.
    private static func slot(of name: String) -> Int {
        let hash = name.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3
        }
        return Int(hash % UInt64(slots))
    }
}
