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

    private func commits(
        _ person: CopiedPerson?, over copy: FirestoreCopy, number: Int64 = 7
    ) throws -> [[String]] {
        try documents.commits(of: id(1), person, over: copy, number: number).map(json)
    }

    private static let name = "\(FakeFirestore.root)/users/00000000-0000-4000-8000-000000000001"
    private static let alert = "00000000-0000-4000-8000-000000000009"

    @Test func newPersonIsWrittenOnlyIfAbsent() throws {
        let person = try ada(
            alerts: [.init(id: id(9), startedAt: noon, endedAt: nil)], picture: id(4))
        let commits = try commits(person, over: FirestoreCopy(user: nil, alerts: []))
        let picture = CopyScene.pictureURL(id(4)).absoluteString
        #expect(
            commits == [
                [
                    """
                    {"update":{"fields":{"endTime":{"nullValue":null},\
                    "id":{"stringValue":"\(Self.alert)"},"isActive":{"booleanValue":true},\
                    "startTime":{"timestampValue":"2026-03-01T12:00:00.000Z"},\
                    "userId":{"stringValue":"00000000-0000-4000-8000-000000000001"}},\
                    "name":"\(Self.name)/alerts/\(Self.alert)"}}
                    """,
                    """
                    {"currentDocument":{"exists":false},\
                    "update":{"fields":{"alertEndTime":{"nullValue":null},\
                    "alertStartTime":{"timestampValue":"2026-03-01T12:00:00.000Z"},\
                    "emergencyNote":{"stringValue":""},"isAlertActive":{"booleanValue":true},\
                    "name":{"stringValue":"Ada"},"phoneNumber":{"stringValue":"+15550101001"},\
                    "profilePictureURL":{"stringValue":"\(picture)"},\
                    "version":{"integerValue":"7"}},"name":"\(Self.name)"}}
                    """,
                ]
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

    @Test func knownPersonIsWrittenOnlyIfUnchanged() throws {
        let old = FirestoreDocument(
            name: Self.name, fields: ["version": .number(7)], updateTime: "time-1")
        let commit = try #require(
            try commits(try ada(), over: FirestoreCopy(user: old, alerts: [])).first?.first)
        #expect(commit.hasPrefix(#"{"currentDocument":{"updateTime":"time-1"},"update":"#))
        // Without another version, Firestore would keep the time of the update.
        #expect(commit.contains(#""version":{"integerValue":"8"}"#))
    }

    @Test func equalAlertsAreNotWrittenAgain() throws {
        let alert = CopiedPerson.Alert(id: id(9), startedAt: noon, endedAt: noon)
        let known = FirestoreDocument(
            name: "\(Self.name)/alerts/\(Self.alert)",
            fields: documents.fields(of: alert, of: id(1)))
        let extra = FirestoreDocument(name: "\(Self.name)/alerts/x", fields: [:])
        let copy = FirestoreCopy(user: nil, alerts: [known, extra])
        let commits = try commits(try ada(alerts: [alert]), over: copy)
        #expect(commits.map(\.count) == [2])
        #expect(commits.first?.first == #"{"delete":"\#(Self.name)/alerts/x"}"#)
    }

    @Test func deletedAccountsDocumentsAreDeleted() throws {
        let user = FirestoreDocument(name: Self.name, fields: [:], updateTime: "time-1")
        let alert = FirestoreDocument(name: "\(Self.name)/alerts/\(Self.alert)", fields: [:])
        #expect(
            try commits(nil, over: FirestoreCopy(user: user, alerts: [alert])) == [
                [
                    #"{"delete":"\#(Self.name)/alerts/\#(Self.alert)"}"#,
                    #"{"currentDocument":{"updateTime":"time-1"},"delete":"\#(Self.name)"}"#,
                ]
            ])
        #expect(try commits(nil, over: FirestoreCopy(user: nil, alerts: [])) == [])
    }

    /// The person's own document comes last, so its condition covers all commits.
    @Test(arguments: [(498, [499]), (499, [500]), (500, [500, 1])])
    func commitHasAtMost500Writes(alerts: Int, sizes: [Int]) throws {
        let person = try ada(
            alerts: (0..<alerts).map {
                .init(
                    id: AlertID(.random()), startedAt: noon.adding(.seconds($0)), endedAt: noon)
            })
        let commits = try commits(person, over: FirestoreCopy(user: nil, alerts: []))
        #expect(commits.map(\.count) == sizes)
        #expect(commits.last?.last?.contains("currentDocument") == true)
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
