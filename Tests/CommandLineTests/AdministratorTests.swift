import Domain
import Foundation
import Testing

@testable import CommandLine

@Suite struct AdministratorTests {
    @Test func lineShowsReasonAndAdministrator() {
        let act = AdminAct(
            id: AdminActID(UUID()), time: Examples.now, kind: .lock, reason: "Spam\u{1B}[2J",
            doneBy: "root")
        let time = Examples.words.moment(Examples.now)
        #expect(act.line(Examples.words) == "\(time)  Account locked: Spam\u{FFFD}[2J (root)")
    }
}
