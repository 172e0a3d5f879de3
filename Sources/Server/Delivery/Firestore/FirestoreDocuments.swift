import Domain
import Foundation
import Persistence

/// The documents of one person in Firestore.
struct FirestoreCopy: Equatable, Sendable {
    /// nil if there is none.
    var user: FirestoreDocument?
    var alerts: [FirestoreDocument]
}

struct FirestoreCommit: Equatable, Sendable {
    var writes: [FirestoreWrite]
    /// False if the documents must be read again for another commit.
    var isLast: Bool
}

/// A document that differs from the database.
public struct FirestoreDifference: Equatable, Sendable, CustomStringConvertible {
    public enum Kind: String, Sendable {
        case missing, different, extra
    }

    public var kind: Kind
    /// The path below the database's documents, as `users/…/alerts/…`.
    public var path: String
    /// The fields that the document must have; nil for an extra document.
    var fields: [String: FirestoreValue]?

    public var description: String { "\(kind.rawValue): \(path)" }
}

/// Makes the documents `users/{id}` and `users/{id}/alerts/{id}`.
struct FirestoreDocuments: Sendable {
    /// A field that changes with each copy. Without a change, Firestore would keep the time of the
    /// document's last update, on which the next copy's precondition depends.
    static let version = "version"
    /// Firestore's limit for one commit.
    static let writesAtOnce = 500

    /// The path of the database's documents, as `projects/ID/databases/(default)/documents`.
    let root: String
    let pictureURL: @Sendable (PictureID) -> URL

    static func path(of user: UserID) -> String { "users/\(user)" }

    private static func path(of alert: String, of user: UserID) -> String {
        "\(path(of: user))/alerts/\(alert)"
    }

    func name(_ path: String) -> String { "\(root)/\(path)" }

    /// Returns the fields of a person's document, without the version.
    func fields(of person: CopiedPerson) -> [String: FirestoreValue] {
        // The alert that is on, or else the last one.
        let alert = person.alerts.last { $0.endedAt == nil } ?? person.alerts.last
        return [
            "name": .text(person.name),
            "phoneNumber": FirestoreValue(person.phoneNumber?.text),
            "emergencyNote": FirestoreValue(person.emergencyNote),
            "profilePictureURL": FirestoreValue(
                person.pictureID.map { pictureURL($0).absoluteString }),
            "isAlertActive": .boolean(person.alerts.contains { $0.endedAt == nil }),
            "alertStartTime": FirestoreValue(alert?.startedAt),
            "alertEndTime": FirestoreValue(alert?.endedAt),
        ]
    }

    func fields(of alert: CopiedPerson.Alert, of user: UserID) -> [String: FirestoreValue] {
        [
            "id": .text("\(alert.id)"), "userId": .text("\(user)"),
            "startTime": .time(alert.startedAt), "endTime": FirestoreValue(alert.endedAt),
            "isActive": .boolean(alert.endedAt == nil),
        ]
    }

    /// - Parameter person: nil without an account. All documents are then extra.
    func differences(
        of user: UserID, _ person: CopiedPerson?, from copy: FirestoreCopy
    ) -> [FirestoreDifference] {
        var wanted: [String: [String: FirestoreValue]] = [:]
        if let person { wanted[Self.path(of: user)] = fields(of: person) }
        for alert in person?.alerts ?? [] {
            wanted[Self.path(of: "\(alert.id)", of: user)] = fields(of: alert, of: user)
        }
        var found: [String: [String: FirestoreValue]] = [:]
        if let old = copy.user {
            found[Self.path(of: user)] = old.fields.filter { $0.key != Self.version }
        }
        for alert in copy.alerts { found[Self.path(of: alert.id, of: user)] = alert.fields }
        return Set(wanted.keys).union(found.keys).sorted().compactMap {
            path -> FirestoreDifference? in
            guard let fields = wanted[path] else {
                return FirestoreDifference(kind: .extra, path: path)
            }
            guard let old = found[path] else {
                return FirestoreDifference(kind: .missing, path: path, fields: fields)
            }
            return fields == old
                ? nil : FirestoreDifference(kind: .different, path: path, fields: fields)
        }
    }

    /// Returns a document that says nothing of the person.
    func creation(of user: UserID) -> FirestoreWrite {
        .update(
            name(Self.path(of: user)), [Self.version: .number(0)],
            if: FirestoreWrite.Precondition(unchanged: nil))
    }

    /// Returns the next commit on the way to documents that equal the database; nil if nothing is
    /// left. Each commit but a creation writes the person's own document, and succeeds only if
    /// that is unchanged since it was read. So no commit, however late Google applies it, replaces
    /// a newer state. After a deletion, a late creation can only leave an empty document.
    /// - Parameter number: see `CopyChange`.
    func commit(
        of user: UserID, _ person: CopiedPerson?, over copy: FirestoreCopy, number: Int64
    ) -> FirestoreCommit? {
        let own = Self.path(of: user)
        let others = differences(of: user, person, from: copy).filter { $0.path != own }
        guard let document = copy.user else {
            guard person != nil || !others.isEmpty else { return nil }
            return FirestoreCommit(writes: [creation(of: user)], isLast: false)
        }
        let isLast = others.count < Self.writesAtOnce
        var writes: [FirestoreWrite] = others.prefix(Self.writesAtOnce - 1).map { difference in
            guard let fields = difference.fields else {
                return FirestoreWrite.delete(name(difference.path))
            }
            return FirestoreWrite.update(name(difference.path), fields)
        }
        let condition = FirestoreWrite.Precondition(unchanged: document)
        if person == nil, isLast {
            writes.append(.delete(name(own), if: condition))
        } else {
            var content = person.map { fields(of: $0) } ?? [:]
            var version = number
            if case .number(let last)? = document.fields[Self.version] {
                version = max(version, last + 1)
            }
            content[Self.version] = .number(version)
            writes.append(.update(name(own), content, if: condition))
        }
        return FirestoreCommit(writes: writes, isLast: isLast)
    }
}
