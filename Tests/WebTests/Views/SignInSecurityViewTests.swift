import Domain
import Features
import Foundation
import Testing

@testable import LivePages
@testable import Web

@Suite("The sign-in lock, on a page")
struct SignInSecurityViewTests {
    private func page(
        _ state: SignInSecurityFeature.State
    ) -> Screen<SignInSecurityFeature.Action> {
        screen { SignInSecurityFeature.view(state) }
    }

    @Test func lockIsTurnedOn() throws {
        let page = page(.init(security: SignInSecurity()))
        #expect(try page.press(SignInSecurityFeature.lockWords) == .lockButtonTapped)
        #expect(page.shows("You have none."))
    }

    @Test func waitingSignInIsNamedAndStopped() throws {
        let wait = SignInWait(
            deviceName: "Thief <phone>", startedAt: Sample.now, endsAt: Sample.now)
        let page = page(
            .init(security: SignInSecurity(isLocked: true, wait: wait, recoveryCodes: 1)))
        #expect(try page.press(SignInSecurityFeature.stopWords) == .stopWaitButtonTapped)
        #expect(!page.markup.contains("<phone>"))
        #expect(page.shows("Somebody has entered a code for your account, on a device."))
        let plain = SignInWait(deviceName: "Tablet", startedAt: Sample.now, endsAt: Sample.now)
        #expect(
            self.page(.init(security: SignInSecurity(isLocked: true, wait: plain)))
                .shows("Somebody has entered a code for your account, on “Tablet”."))
    }

    @Test func endingLockCanBeKeptOn() throws {
        let page = page(
            .init(security: SignInSecurity(isLocked: true, lockEndsAt: Sample.now)))
        #expect(try page.press(SignInSecurityFeature.keepLockWords) == .lockButtonTapped)
    }

    @Test func newCodesAreShownOnce() throws {
        let page = page(.init(security: SignInSecurity(recoveryCodes: 10), newCodes: ["7KQ2"]))
        #expect(page.shows("7KQ2"))
        #expect(!page.markup.contains("Copy the codes"))
        #expect(try page.press("Done") == .doneButtonTapped)
        let later = self.page(.init(security: SignInSecurity(recoveryCodes: 10)))
        #expect(!later.shows("7KQ2"))
        #expect(try later.press("Make new recovery codes") == .makeCodesButtonTapped)
    }

    /// device.js keeps the id until the person has stored the codes.
    @Test func pageHasTheRequestUntilItIsOver() {
        var state = SignInSecurityFeature.State(security: SignInSecurity())
        #expect(page(state).markup.contains("data-codes=\"\""))
        let id = UUID()
        state.codesRequest = id
        #expect(page(state).markup.contains("data-codes=\"\(id.uuidString)\""))
        (state.codesRequest, state.isCodesRequestOver) = (nil, true)
        #expect(page(state).markup.contains("data-codes=\"over\""))
    }

    @Test func failedLoadCanBeRetried() throws {
        #expect(try page(.init(error: .unavailable)).press("Load again") == .retryButtonTapped)
    }

    @Test func signInTakesARecoveryCode() throws {
        let first = screen { AuthFeature.view(.init()) }
        #expect(try first.press(AuthFeature.recoveryWords) == .recoveryButtonTapped)
        let page = screen { AuthFeature.view(.init(step: .recoveryCode(number: "+15550100"))) }
        #expect(page.shows(AuthFeature.recoveryTitle))
        #expect(
            try page.press("Change the phone number") == .changePhoneNumberButtonTapped)
    }
}
