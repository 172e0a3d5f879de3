import Clients
import Domain
import Foundation
import Testing
import UserNotifications

@testable import LifeSignalApp

@Suite struct PushRegistrationTests {
    private let ana = SignedIn(
        userID: UserID(UUID()), isNewUser: false, sessionID: SessionID(UUID()))
    private let endpoint = PushEndpointID(UUID())

    private func status(
        _ registration: PushRegistration?, of signedIn: SignedIn?,
        _ permission: PushStatus.Permission = .granted
    ) -> PushStatus {
        PushStatus(permission, registration, of: signedIn, isPutOff: false)
    }

    @Test func endpointIsReportedForItsSession() {
        let registration = PushRegistration(of: ana, endpoint: endpoint)
        var onboarded = ana
        onboarded.isNewUser = true
        #expect(status(registration, of: ana) == PushStatus(.granted, endpoint: endpoint))
        #expect(status(registration, of: onboarded).endpoint == endpoint)
        #expect(status(nil, of: ana) == PushStatus(.granted))
    }

    @Test func laterSessionsHaveNoEndpoint() {
        let registration = PushRegistration(of: ana, endpoint: endpoint)
        var (again, other) = (ana, ana)
        again.sessionID = SessionID(UUID())
        other.userID = UserID(UUID())
        for signedIn in [again, other, nil] {
            #expect(status(registration, of: signedIn) == PushStatus(.granted))
        }
    }

    @Test func failedRegistrationEndsTheEndpoint() {
        let failed = PushRegistration(of: ana, endpoint: nil)
        #expect(status(failed, of: ana) == PushStatus(.granted, hasFailed: true))
        #expect(status(failed, of: nil) == PushStatus(.granted))
    }

    /// The server has never heard of the failed attempt, and still sends to the earlier endpoint.
    @Test func unreachableServerKeepsTheEndpoint() {
        let earlier = PushRegistration(of: ana, token: "01", endpoint: endpoint)
        let failed = PushRegistration(of: ana, token: "01", endpoint: nil)
        #expect(failed.afterFailure(error("unreachable"), earlier: earlier) == earlier)
        #expect(failed.afterFailure(error("unreachable"), earlier: nil) == failed)
        #expect(failed.afterFailure(error("invalid-argument"), earlier: earlier) == failed)
        let changed = PushRegistration(of: ana, token: "02", endpoint: nil)
        #expect(changed.afterFailure(error("unreachable"), earlier: earlier) == changed)
        var again = ana
        again.sessionID = SessionID(UUID())
        let later = PushRegistration(of: again, token: "01", endpoint: nil)
        #expect(later.afterFailure(error("unreachable"), earlier: earlier) == later)
    }

    private func error(_ code: String) -> UserFacingError {
        UserFacingError(title: "", message: "", recoverySuggestion: "", code: code)
    }

    @Test(arguments: PushStatus.Permission.allCases)
    func registrationNeedsWishAndPermission(permission: PushStatus.Permission) {
        #expect(
            PushRegistration.isUsed(isWanted: true, permission: permission)
                == (permission == .granted))
        #expect(!PushRegistration.isUsed(isWanted: false, permission: permission))
    }

    /// Apple may grant critical alerts after the person has allowed notifications.
    @Test func criticalAlertsAreAskedForOnce() {
        func isAsked(
            isUsed: Bool = true, allowsCritical: Bool = true,
            _ setting: UNNotificationSetting = .notSupported
        ) -> Bool {
            PushRegistration.lacksCriticalAlerts(
                isUsed: isUsed, allowsCritical: allowsCritical, setting)
        }
        #expect(isAsked())
        #expect(!isAsked(isUsed: false))
        #expect(!isAsked(allowsCritical: false))
        #expect(!isAsked(.disabled))
        #expect(!isAsked(.enabled))
    }

    @Test(arguments: [PushStatus.Permission.denied, .undecided])
    func endpointIsOffWithoutPermission(permission: PushStatus.Permission) {
        let registration = PushRegistration(of: ana, endpoint: endpoint)
        #expect(status(registration, of: ana, permission) == PushStatus(permission))
    }
}
