import Domain
import Foundation

/// The people and things that a write locks. Writes about the same subject run one after the other,
/// even if they come from different servers. SQLite ignores subjects, because it has one writer.
///
/// A write to a contact locks both people. A write to a ping locks the dependent. A write to an
/// alert or its deliveries locks the alert's owner. Events and notifications for other people are
/// inserted without a lock.
public struct Subjects: Sendable {
    /// Finds more people to lock, such as the owner of an alert. The write repeats the search once
    /// it holds the locks, because the result may have changed.
    public typealias Search = @Sendable (any SQLConnection) throws -> [UserID]

    /// The number of lock rows for names. Each name uses one row by its hash, so unrelated names
    /// may occasionally wait for each other.
    static let slots = 1024
    /// An extra lock row, held during schema migrations.
    static let migrationSlot = slots

    let people: [UserID]
    let slots: [Int]
    var search: Search?
    /// True if the write is idempotent. Only then is it retried after a commit with an unknown
    /// outcome.
    let isRepeatable: Bool
    /// True for the server's own work: nothing is locked in advance.
    private(set) var isOfServer: Bool

    public init(_ people: [UserID], isRepeatable: Bool = false, search: Search? = nil) {
        self.init(people, names: [], isRepeatable: isRepeatable, search: search)
    }

    /// - Parameter names: values to lock that belong to no person yet, such as a phone number.
    public init(
        _ people: [UserID] = [], names: [String], isRepeatable: Bool = false,
        search: Search? = nil
    ) {
        self.people = people
        self.search = search
        self.isRepeatable = isRepeatable
        isOfServer = people.isEmpty && names.isEmpty && search == nil
        slots = Set(names.map(Self.slot)).sorted()
    }

    /// Locks nothing in advance. For writes that lock people with `tryLock`, and for inserts that
    /// can't conflict.
    public static let none = Subjects([], isRepeatable: true)

    /// Like `none`, for requests of several people. They get no thread that is reserved for the
    /// server's own work.
    public static let someRequests = {
        var subjects = none
        subjects.isOfServer = false
        return subjects
    }()

    enum Key: Hashable, Sendable {
        case person(UserID)
        case slot(Int)
    }

    var keys: Set<Key> { Set(people.map(Key.person) + slots.map(Key.slot)) }

    /// Hashes with FNV-1a, because Swift's own hashes differ between servers.
    private static func slot(of name: String) -> Int {
        let hash = name.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3
        }
        return Int(hash % UInt64(slots))
    }
}
