import Domain
import Foundation
import Persistence

/// Compares all documents in Firestore with the database.
public struct FirestoreComparison: Sendable {
    public struct Result: Equatable, Sendable {
        public var people = 0
        public var alerts = 0
        public var differences = 0
    }

    /// Reads people from the database.
    public typealias Read = @Sendable (_ people: [UserID]) throws -> [UserID: CopiedPerson]

    private static let peopleAtOnce = 16

    private let client: FirestoreClient
    private let documents: FirestoreDocuments
    private let accounts: @Sendable (_ after: UserID?, _ limit: Int) throws -> [UserID]
    private let read: Read

    /// - Parameters:
    ///   - accounts: returns a page of everyone who is copied, in the order of their ids.
    ///   - read: omits people who aren't copied.
    public init(
        client: FirestoreClient, pictureURL: @escaping @Sendable (PictureID) -> URL,
        accounts: @escaping @Sendable (_ after: UserID?, _ limit: Int) throws -> [UserID],
        read: @escaping Read
    ) {
        self.client = client
        documents = FirestoreDocuments(root: client.root, pictureURL: pictureURL)
        self.accounts = accounts
        self.read = read
    }

    /// Throws `FirestoreFailure`, or the errors of the database.
    /// - Parameter report: receives each difference.
    public func run(
        _ report: @Sendable (FirestoreDifference) -> Void
    ) async throws -> Result {
        var result = Result()
        var last: UserID?
        while true {
            let people = try accounts(last, Self.peopleAtOnce)
            guard !people.isEmpty else { break }
            let copies = try await copies(of: people)
            // Read after the copies, as the worker does.
            let persons = try read(people)
            for person in people {
                guard let copy = copies[person] else { continue }
                let differences = documents.differences(
                    of: person, persons[person], from: copy)
                for difference in differences { report(difference) }
                result.differences += differences.count
                result.people += 1
                result.alerts += persons[person]?.alerts.count ?? 0
            }
            last = people.last
        }
        var token: String?
        repeat {
            let page = try await client.users(after: token)
            let people = page.documents.compactMap(\.userID)
            let known = try read(people)
            for person in people where known[person] == nil {
                let copy = try await client.copy(of: person)
                let differences = documents.differences(of: person, nil, from: copy)
                for difference in differences { report(difference) }
                result.differences += differences.count
            }
            guard page.next == nil || page.next != token else {
                throw FirestoreFailure(reason: .http(502))
            }
            token = page.next
        } while token != nil
        return result
    }

    private func copies(of people: [UserID]) async throws -> [UserID: FirestoreCopy] {
        let found = try await client.users(people)
        return try await withThrowingTaskGroup(of: (UserID, [FirestoreDocument]).self) { group in
            for person in people {
                group.addTask { [client] in (person, try await client.alerts(of: person)) }
            }
            var copies: [UserID: FirestoreCopy] = [:]
            for try await (person, alerts) in group {
                copies[person] = FirestoreCopy(user: found[person], alerts: alerts)
            }
            return copies
        }
    }
}
