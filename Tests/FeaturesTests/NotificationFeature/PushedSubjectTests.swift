import Domain
import Foundation
import Testing

@testable import Features

/// What a tap on a push message opens.
@Suite struct PushedSubjectTests {
    private let alert: AlertID = Fixture.id(50)
    private let ping: PingID = Fixture.id(60)

    private func opened(
        _ type: NotificationType?, alert: AlertID? = nil, ping: PingID? = nil,
        about user: UserID? = nil, hasButtons: Bool = false
    ) -> NotificationSubject {
        NotificationSubject(
            pushed: type, alert: alert, ping: ping, user: user, recipient: Fixture.ana,
            hasButtons: hasButtons)
    }

    @Test func alertOpensWithAndWithoutButtons() {
        let expected = NotificationSubject.alert(alert, user: Fixture.ben)
        #expect(opened(.alert, alert: alert, about: Fixture.ben, hasButtons: true) == expected)
        #expect(opened(.alert, alert: alert, about: Fixture.ben) == expected)
    }

    /// A drill is about the person who started it, and only Home has its button.
    @Test func buttonsOpenHome() {
        #expect(opened(.system, about: Fixture.ben, hasButtons: true) == .home)
        #expect(opened(.ping, ping: ping, about: Fixture.ben, hasButtons: true) == .home)
        #expect(opened(.system, hasButtons: true) == .home)
    }

    @Test func newsOfAPersonOpensThem() {
        #expect(opened(.checkIn, about: Fixture.ben) == .person(Fixture.ben))
        #expect(opened(.ping, ping: ping, about: Fixture.ben) == .ping(ping, user: Fixture.ben))
    }

    @Test func otherNewsOpensTheCentre() {
        #expect(opened(.system) == .centre)
        #expect(opened(nil) == .centre)
        #expect(opened(.system, about: Fixture.ana) == .centre)
        #expect(opened(.contactRemoved, about: Fixture.ben) == .centre)
    }
}
