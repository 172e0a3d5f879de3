import Domain
import Foundation
import Persistence
import Testing

@testable import Delivery

@Suite struct FirestoreDocumentTests {
    private let documents = FirestoreDocuments(
        root: FakeFirestore.root, pictureURL: CopyScene.pictureURL)

    private func ada(
        alerts: [CopiedPerson.Alert] = [], note: String? = "", picture: PictureID? = nil
    ) throws -> CopiedPerson {
        CopiedPerson(
            id: id(1), name: "Ada", phoneNumber: try PhoneNumber("+15550101001"),
            emergencyNote: note, pictureID: picture, alerts: alerts)
    }

    private func json(_ writes: [FirestoreWrite]) throws -> [String] {
        try writes.map { String(decoding: try WireJSON.encoder().encode($0), as: UTF8.self) }
    }

    private func commit(
        _ person: CopiedPerson?, over copy: FirestoreCopy, number: Int64 = 7
    ) throws -> [String]? {
        try documents.commit(of: id(1), person, over: copy, number: number)
            .map { try json($0.writes) }
    }

    private static let known = FirestoreDocument(
        name: name, fields: ["version": .number(2)], updateTime: "time-1")

    private static let name = "\(FakeFirestore.root)/users/00000000-0000-4000-8000-000000000001"
    private static let alert = "00000000-0000-4000-8000-000000000009"

    /// A late creation must not bring a deleted person back.
    @Test func newDocumentIsCreatedEmpty() throws {
        let commit = documents.commit(
            of: id(1), try ada(), over: FirestoreCopy(user: nil, alerts: []), number: 7)
        #expect(commit?.isLast == false)
        #expect(
            try json(commit?.writes ?? []) == [
                """
                {"currentDocument":{"exists":false},\
                "update":{"fields":{"version":{"integerValue":"0"}},"name":"\(Self.name)"}}
                """
            ])
    }

    @Test func personAndAlertsAreWrittenTogether() throws {
        let person = try ada(
            alerts: [.init(id: id(9), startedAt: noon, endedAt: nil)], picture: id(4))
        let commit = try commit(person, over: FirestoreCopy(user: Self.known, alerts: []))
        let picture = CopyScene.pictureURL(id(4)).absoluteString
        #expect(
            commit == [
                """
                {"update":{"fields":{"endTime":{"nullValue":null},\
                "id":{"stringValue":"\(Self.alert)"},"isActive":{"booleanValue":true},\
                "startTime":{"timestampValue":"2026-03-01T12:00:00.000Z"},\
                "userId":{"stringValue":"00000000-0000-4000-8000-000000000001"}},\
                "name":"\(Self.name)/alerts/\(Self.alert)"}}
                """,
                """
                {"currentDocument":{"updateTime":"time-1"},\
                "update":{"fields":{"alertEndTime":{"nullValue":null},\
                "alertStartTime":{"timestampValue":"2026-03-01T12:00:00.000Z"},\
                "emergencyNote":{"stringValue":""},"isAlertActive":{"booleanValue":true},\
                "name":{"stringValue":"Ada"},"phoneNumber":{"stringValue":"+15550101001"},\
                "profilePictureURL":{"stringValue":"\(picture)"},\
                "version":{"integerValue":"7"}},"name":"\(Self.name)"}}
                """,
            ])
    }

    @Test func missingValuesAreNull() throws {
        let person = try ada(note: nil)
        let fields = documents.fields(of: person)
        for name in ["emergencyNote", "profilePictureURL", "alertStartTime", "alertEndTime"] {
            #expect(fields[name] == .null)
        }
        #expect(fields["isAlertActive"] == .boolean(false))
    }

    @Test func openAlertComesBeforeALaterOne() throws {
        let later = noon.adding(.hours(1))
        let ended = CopiedPerson.Alert(id: id(8), startedAt: later, endedAt: later)
        let open = CopiedPerson.Alert(id: id(9), startedAt: noon, endedAt: nil)
        let both = documents.fields(of: try ada(alerts: [open, ended]))
        #expect(both["alertStartTime"] == .time(noon) && both["alertEndTime"] == .null)
        #expect(both["isAlertActive"] == .boolean(true))
        let last = documents.fields(of: try ada(alerts: [ended]))
        #expect(last["alertStartTime"] == .time(later) && last["alertEndTime"] == .time(later))
        #expect(last["isAlertActive"] == .boolean(false))
    }

    @Test(arguments: [true, false]) func laterOfTwoAlertsIsShown(areOpen: Bool) throws {
        let later = noon.adding(.hours(1))
        let end = areOpen ? nil : later
        let fields = documents.fields(
            of: try ada(alerts: [
                CopiedPerson.Alert(id: id(9), startedAt: noon, endedAt: end),
                CopiedPerson.Alert(id: id(8), startedAt: later, endedAt: end),
            ]))
        #expect(fields["alertStartTime"] == .time(later))
        #expect(fields["isAlertActive"] == .boolean(areOpen))
    }

    @Test func knownPersonIsWrittenOnlyIfUnchanged() throws {
        let old = FirestoreDocument(
            name: Self.name, fields: ["version": .number(7)], updateTime: "time-1")
        let writes = try commit(try ada(), over: FirestoreCopy(user: old, alerts: []))
        let own = try #require(writes?.first)
        #expect(own.hasPrefix(#"{"currentDocument":{"updateTime":"time-1"},"update":"#))
        // Without another version, Firestore would keep the time of the update.
        #expect(own.contains(#""version":{"integerValue":"8"}"#))
    }

    @Test func equalAlertsAreNotWrittenAgain() throws {
        let alert = CopiedPerson.Alert(id: id(9), startedAt: noon, endedAt: noon)
        let known = FirestoreDocument(
            name: "\(Self.name)/alerts/\(Self.alert)",
            fields: documents.fields(of: alert, of: id(1)))
        let extra = FirestoreDocument(name: "\(Self.name)/alerts/x", fields: [:])
        let copy = FirestoreCopy(user: Self.known, alerts: [known, extra])
        let commit = try commit(try ada(alerts: [alert]), over: copy)
        #expect(commit?.count == 2)
        #expect(commit?.first == #"{"delete":"\#(Self.name)/alerts/x"}"#)
    }

    @Test func deletedAccountsDocumentsAreDeleted() throws {
        let user = FirestoreDocument(name: Self.name, fields: [:], updateTime: "time-1")
        let alert = FirestoreDocument(name: "\(Self.name)/alerts/\(Self.alert)", fields: [:])
        #expect(
            try commit(nil, over: FirestoreCopy(user: user, alerts: [alert])) == [
                #"{"delete":"\#(Self.name)/alerts/\#(Self.alert)"}"#,
                #"{"currentDocument":{"updateTime":"time-1"},"delete":"\#(Self.name)"}"#,
            ])
        #expect(try commit(nil, over: FirestoreCopy(user: nil, alerts: [])) == nil)
        // Alerts without their person's document, too, are deleted under a condition.
        let first = try commit(nil, over: FirestoreCopy(user: nil, alerts: [alert]))
        #expect(first?.count == 1 && first?.first?.contains(#""exists":false"#) == true)
    }

    /// Each commit has the condition, so a late one of several replaces nothing.
    @Test(arguments: [(498, 499, true), (499, 500, true), (500, 500, false)])
    func commitHasAtMost500Writes(alerts: Int, size: Int, isLast: Bool) throws {
        let person = try ada(
            alerts: (0..<alerts).map {
                .init(
                    id: AlertID(.random()), startedAt: noon.adding(.seconds($0)), endedAt: noon)
            })
        let commit = documents.commit(
            of: id(1), person, over: FirestoreCopy(user: Self.known, alerts: []), number: 7)
        #expect(commit?.writes.count == size && commit?.isLast == isLast)
        #expect(commit?.writes.last?.currentDocument?.updateTime == "time-1")
    }

    /// The first commits of a deletion empty the document, which the last one deletes.
    @Test(arguments: [(499, true), (500, false)])
    func deletionOfManyAlertsEmptiesTheDocumentFirst(alerts: Int, isLast: Bool) throws {
        let user = FirestoreDocument(
            name: Self.name, fields: ["name": .text("Ada")], updateTime: "time-1")
        let copy = FirestoreCopy(
            user: user,
            alerts: (0..<alerts).map {
                FirestoreDocument(name: "\(Self.name)/alerts/\($0)", fields: [:])
            })
        let commit = documents.commit(of: id(1), nil, over: copy, number: 7)
        #expect(commit?.isLast == isLast && commit?.writes.count == 500)
        let own = commit?.writes.last
        #expect(own?.currentDocument?.updateTime == "time-1")
        let left: [String: FirestoreValue]? = isLast ? nil : ["version": .number(7)]
        #expect(own?.update?.fields == left)
        #expect((own?.delete == Self.name) == isLast)
    }

    @Test func answersAreReadInProtobufsForms() throws {
        let json = """
            {"name":"a/b","updateTime":"2026-03-01T12:00:00.123456Z","fields":{
            "whole":{"timestampValue":"2026-03-01T12:00:00Z"},
            "micro":{"timestampValue":"2026-03-01T12:00:00.000000Z"},
            "nothing":{"nullValue":null},"count":{"integerValue":"5"},
            "other":{"doubleValue":1.5},"list":{"arrayValue":{}}}}
            """
        let document = try JSONDecoder().decode(FirestoreDocument.self, from: Data(json.utf8))
        #expect(
            document.fields == [
                "whole": .time(noon), "micro": .time(noon), "nothing": .null, "count": .number(5),
                "other": .other, "list": .other,
            ])
        let empty = try JSONDecoder().decode(
            FirestoreDocument.self, from: Data(#"{"name":"a/b"}"#.utf8))
        #expect(empty.fields.isEmpty && empty.id == "b" && empty.userID == nil)
    }
}
