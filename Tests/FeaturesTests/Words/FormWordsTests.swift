import Clients
import Domain
import Foundation
import Testing

@testable import Features

@Suite struct FormWordsTests {
    @Test func errorShowsAtItsFieldOrInANotice() {
        func error(_ code: String) -> UserFacingError {
            UserFacingError(title: "T", message: "M", recoverySuggestion: "R", code: code)
        }
        #expect(error("invalid-argument").fieldWords == "M")
        #expect(error("unauthenticated").fieldWords == "T. R")
        #expect(error("invalid-argument").outsideOfFields == nil)
        #expect(error("unavailable").fieldWords == nil)
        #expect(error("unavailable").outsideOfFields == error("unavailable"))
    }

    @Test func remainingTriesShowAfterTheFirst() {
        var state = AuthFeature.State()
        let words = (0...SignInRules.triesPerCode).map { left in
            state.attemptsLeft = left
            return state.triesWords
        }
        #expect(words.first == "No tries left. Ask for another code.")
        #expect(words[1] == "1 try left." && words[2] == "2 tries left.")
        #expect(words.last == .some(nil))
    }

    @Test func onboardingStepsHaveTitles() {
        for (number, step) in OnboardingFeature.Step.allCases.enumerated() {
            var state = OnboardingFeature.State()
            state.step = step
            #expect(
                state.stepWords == "Step \(number + 1) of 6"
                    && state.title.contains("?") != (step == .checkIn))
            #expect(state.hasFieldOfItsOwn == [.name, .emergencyNote, .schedule].contains(step))
        }
    }

    @Test func namesAreListedAndAbbreviated() {
        #expect(listed([]) == "no one" && listed(["A", "B", "C", "D"]) == "A, B and 2 others")
        #expect(initials(of: "Ana Maria Bauer") == "AB" && initials(of: " ") == "?")
        #expect(Duration.hours(2).shortWords == "2\u{a0}h")
        #expect(Duration.minutes(90).shortWords == "90\u{a0}min")
        #expect(Duration.hours(72).words == "3 days" && Duration.hours(48).words == "48 hours")
    }

    @Test func nameErrorShowsAtTheName() {
        var state = ProfileFeature.State()
        state.editingName = ""
        #expect(state.isNameRefused)
        state.editingName = "Ana"
        #expect(!state.isNameRefused)
        state.error = UserFacingError(
            title: "", message: RefusalWords.nameOfAnother.message, recoverySuggestion: "",
            code: .invalidArgument)
        #expect(state.isNameRefused)
    }

    @Test func olderNameIsNotRefused() {
        var state = ProfileFeature.State()
        state.name = "X" + String(repeating: "\u{301}", count: 20)
        state.editingName = state.name
        #expect(!state.isNameRefused)
        state.editingName += " Y"
        #expect(state.isNameRefused)
    }

    @Test func scanErrorShowsAtTheFieldOnlyForATypedID() {
        var state = QRScannerFeature.State(manualID: "x", error: Fixture.refused)
        #expect(!state.isTypedIDRefused)
        state.scannedCode = "x"
        #expect(state.isTypedIDRefused)
        state.error = nil
        #expect(!state.isTypedIDRefused)
    }

    @Test func cameraTextsFitTheFrontEnd() {
        let denied = QRScannerFeature.State(permission: .denied)
        #expect(denied.cameraWords(in: .browser).contains("Allow it in your browser"))
        #expect(denied.cameraWords(in: .app).contains("Allow it in Settings"))
        let granted = QRScannerFeature.State(permission: .granted)
        #expect(granted.cameraWords(in: .app) == granted.cameraWords(in: .browser))
    }

    @Test(arguments: FrontEnd.allCases) func pushStatusTextsSayWhatToDo(_ frontEnd: FrontEnd) {
        #expect(PushFeature.State().statusWords == nil)
        let words = [.unsupported, .denied, .undecided, .granted].map {
            (permission: PushStatus.Permission) in
            PushFeature.State(status: PushStatus(permission))
        }
        #expect(words.map(\.statusWords) == ["Not available", "Blocked", "Off", "Off"])
        #expect(
            words[1].explanationWords(in: frontEnd) == PushFeature.Card.denied.text(in: frontEnd))
        let failed = PushFeature.State(status: PushStatus(.granted, hasFailed: true))
        #expect(failed.explanationWords(in: frontEnd) == PushFeature.Card.failed.text(in: frontEnd))
        let on = PushFeature.State(status: PushStatus(.granted, endpoint: Fixture.id(5)))
        #expect(on.statusWords == "On" && on.testSentWords == nil)
    }
}
