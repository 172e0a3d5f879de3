import Clients
import Domain
import Foundation
import Testing

@testable import CommandLine

@Suite struct DiscardTests {
    private func waiting(_ kinds: [WaitingAction.Kind]) -> [WaitingAction] {
        kinds.enumerated().map { index, kind in
            WaitingAction(
                id: UUID(), kind: kind, createdAt: Examples.now.adding(.seconds(index)))
        }
    }

    @Test(
        arguments: [
            ([.endAlert], true, false), ([.raiseAlert], false, true),
            ([.raiseAlert, .endAlert], false, false), ([.endAlert, .raiseAlert], true, true),
            ([.checkIn, .markAsRead], false, false), ([], false, false),
        ] as [([WaitingAction.Kind], Bool, Bool)])
    func discardedAlertOrEndIsNamed(
        kinds: [WaitingAction.Kind], hasEnd: Bool, hasBeginning: Bool
    ) {
        let end = "The end of your alert was not sent: it stays on. Sign in again to end it."
        let beginning = "Your alert was not sent and is discarded."
        let expected = (hasEnd ? [end] : []) + (hasBeginning ? [beginning] : [])
        let actions = waiting(kinds)
        #expect(SignOut.lines(discarding: actions) == expected)
        // Connectivity has an unsent alert first.
        #expect(SignOut.lines(discarding: Array(actions.reversed())) == expected)
    }

    /// The copy shows an unsent change as done.
    @Test(
        arguments: [
            ([], true), ([.checkIn], true), ([.markAsRead, .ping], true), ([.endAlert], false),
            ([.raiseAlert], false), ([.checkIn, .extendJourney], false), ([.pause], false),
        ] as [([WaitingAction.Kind], Bool)])
    func whatStaysIsToldUnlessItIsDiscarded(kinds: [WaitingAction.Kind], isTold: Bool) {
        #expect(SignOut.tellsWhatStays(afterDiscarding: waiting(kinds)) == isTold)
    }
}
