import Domain
import Foundation
import Testing

@testable import CommandLine

@Suite struct SourceListTests {
    private let button = CheckInSource(
        id: SourceID(UUID()), name: "Kitchen button", createdAt: Examples.now,
        lastUsedAt: Examples.now.addingTimeInterval(-180))
    private let tag = CheckInSource(
        id: SourceID(UUID()), name: "Door tag", createdAt: Examples.now)

    @Test func lineShowsUseAndID() {
        let used = Examples.words.past(Examples.now.addingTimeInterval(-180))
        #expect(
            button.line(Examples.words) == "Kitchen button (checked in \(used))  \(button.id)")
        #expect(tag.line(Examples.words) == "Door tag (not used yet)  \(tag.id)")
    }

    @Test func statusNamesTheSourceOfTheLastCheckIn() throws {
        var snapshot = try Examples.snapshot()
        let last = try #require(snapshot.profile?.lastCheckInTime)
        snapshot.lastCheckIn = CheckInRecord(
            id: CheckInID(UUID()), occurredAt: last, receivedAt: last, nextCheckInTime: nil,
            source: "Kitchen button")
        func text() -> String {
            StatusText(snapshot: snapshot, words: Examples.words).lines.joined(separator: "\n")
        }
        #expect(text().contains(" by Kitchen button. Next by "))
        // The copy may lack a newer check-in.
        snapshot.profile?.lastCheckInTime = last.addingTimeInterval(1)
        #expect(!text().contains("Kitchen button"))
    }

    @Test func sourceIsFoundByNameOrID() {
        let all = [button, tag]
        #expect(all.matching("door TAG") == [tag])
        #expect(all.matching("\(button.id)") == [button])
        #expect(all.matching("Door") == [])
        #expect((all + [tag]).matching("Door tag").count == 2)
    }
}
