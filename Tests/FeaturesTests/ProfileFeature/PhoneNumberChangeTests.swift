import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct PhoneNumberChangeTests {
    private let number = "+15550199"

    @Test func numberThenCodeThenDone() async throws {
        var profile = try Fixture.profile()
        profile.phoneNumber = try PhoneNumber(number)
        let moved = profile
        let store = TestStore(
            initialState: ProfileFeature.State(name: "Ana", phoneNumber: "+15550100")
        ) {
            ProfileFeature()
        } withDependencies: {
            $0.authClient.sendCode = { number, _ in
                #expect(number == "+15550199")
                return try PhoneNumber(number)
            }
            $0.userClient.changePhoneNumber = { number, code in
                #expect(number == "+15550199")
                #expect(code == "123456")
                return moved
            }
        }
        await store.send(.changePhoneNumberButtonTapped) {
            $0.destination = .phoneNumberChange(.init())
        }
        await store.send(\.destination.phoneNumberChange.newPhoneNumberChanged, "+1 555-0199") {
            $0.destination?.modify(\.phoneNumberChange) { $0.newPhoneNumber = "+1 555-0199" }
        }
        await store.send(\.destination.phoneNumberChange.sendCodeButtonTapped) {
            $0.destination?.modify(\.phoneNumberChange) { $0.isLoading = true }
        }
        await store.receive(\.destination.phoneNumberChange.sendCodeResponse.success) {
            $0.destination?.modify(\.phoneNumberChange) { $0.isLoading = false }
            $0.destination?.modify(\.phoneNumberChange) { $0.step = .code }
            $0.destination?.modify(\.phoneNumberChange) { $0.newPhoneNumber = "+15550199" }
        }
        await store.send(\.destination.phoneNumberChange.verificationCodeChanged, "123") {
            $0.destination?.modify(\.phoneNumberChange) { $0.verificationCode = "123" }
        }
        await store.send(\.destination.phoneNumberChange.verificationCodeChanged, " 123 456 ") {
            $0.destination?.modify(\.phoneNumberChange) { $0.verificationCode = "123456" }
            $0.destination?.modify(\.phoneNumberChange) { $0.isLoading = true }
        }
        await store.receive(\.destination.phoneNumberChange.confirmResponse.success) {
            $0.destination?.modify(\.phoneNumberChange) { $0.isLoading = false }
            $0.destination?.modify(\.phoneNumberChange) { $0.step = .done }
        }
        await store.receive(\.destination.phoneNumberChange.delegate.phoneNumberChanged) {
            $0.phoneNumber = "+15550199"
        }
        await store.receive(.delegate(.profileUpdated(moved)))
        await store.send(\.destination.phoneNumberChange.dismissButtonTapped)
        await store.receive(\.destination.dismiss) { $0.destination = nil }
    }

    @Test(arguments: [true, false]) func lockHoldsTheChangeBack(isHeldBack: Bool) async throws {
        var profile = try Fixture.profile()
        let new = try PhoneNumber(number)
        if isHeldBack {
            profile.numberMove = NumberMove(phoneNumber: new, takesEffectAt: Fixture.now)
        } else {
            profile.phoneNumber = new
        }
        let answer = profile
        let store = TestStore(
            initialState: PhoneNumberChangeFeature.State(
                step: .code, newPhoneNumber: number, verificationCode: "123456")
        ) {
            PhoneNumberChangeFeature()
        } withDependencies: {
            $0.userClient.changePhoneNumber = { _, _ in answer }
        }
        store.exhaustivity = .off
        await store.send(.confirmButtonTapped)
        await store.receive(\.confirmResponse.success)
        #expect(store.state.isHeldBack == isHeldBack)
        #expect(store.state.doneWords.hasPrefix("Your number is now") == !isHeldBack)
        #expect(store.state.doneWords.contains("in 7 days") == isHeldBack)
    }

    @Test func invalidNewNumberIsNotSent() async {
        let state = PhoneNumberChangeFeature.State(newPhoneNumber: "0199")
        let store = TestStore(initialState: state) { PhoneNumberChangeFeature() }
        await store.send(.sendCodeButtonTapped) {
            $0.error = error { try PhoneNumber(typed: "0199") }
        }
        await store.send(.dismissError) { $0.error = nil }
    }

    @Test(arguments: ["", "12345", "1234567", "12345a"]) func invalidCodeIsNotSent(code: String)
        async
    {
        let state = PhoneNumberChangeFeature.State(
            step: .code, newPhoneNumber: number, verificationCode: code)
        #expect(!state.canConfirm)
        let store = TestStore(initialState: state) { PhoneNumberChangeFeature() }
        await store.send(.confirmButtonTapped) { $0.error = error { try SignInRules.code(code) } }
    }

    @Test func failuresKeepTheStep() async {
        let store = TestStore(initialState: PhoneNumberChangeFeature.State(newPhoneNumber: number))
        {
            PhoneNumberChangeFeature()
        } withDependencies: {
            $0.authClient.sendCode = { _, _ in throw Fixture.refused }
        }
        await store.send(.sendCodeButtonTapped) { $0.isLoading = true }
        await store.receive(\.sendCodeResponse.failure) {
            $0.isLoading = false
            $0.error = Fixture.refused
        }
    }

    @Test func onlyTheSameNumberIsConfirmedByAnotherPress() async {
        let answers = Calls<Bool>([])
        let question = UserFacingError(
            title: "", message: "", recoverySuggestion: "", code: UserFacingError.numberInDoubt)
        let store = TestStore(initialState: PhoneNumberChangeFeature.State(newPhoneNumber: number))
        {
            PhoneNumberChangeFeature()
        } withDependencies: {
            $0.authClient.sendCode = { number, isConfirmed in
                answers.withValue { $0.append(isConfirmed) }
                guard isConfirmed else { throw question }
                return try PhoneNumber(number)
            }
        }
        store.exhaustivity = .off
        await store.send(.sendCodeButtonTapped)
        await store.receive(\.sendCodeResponse.failure)
        await store.send(.newPhoneNumberChanged("+15550198"))
        await store.send(.sendCodeButtonTapped)
        await store.receive(\.sendCodeResponse.failure)
        await store.send(.countryChosen(PhoneCountry("DE")))
        await store.send(.sendCodeButtonTapped)
        await store.receive(\.sendCodeResponse.failure)
        await store.send(.sendCodeButtonTapped)
        await store.receive(\.sendCodeResponse.success)
        #expect(answers.value == [false, false, false, true])
    }

    @Test func wrongCodeCanBeCorrected() async {
        let store = TestStore(
            initialState: PhoneNumberChangeFeature.State(
                step: .code, newPhoneNumber: number, verificationCode: "123456")
        ) {
            PhoneNumberChangeFeature()
        } withDependencies: {
            $0.userClient.changePhoneNumber = { _, _ in throw Fixture.refused }
        }
        #expect(store.state.canConfirm)
        await store.send(.confirmButtonTapped) { $0.isLoading = true }
        await store.receive(\.confirmResponse.failure) {
            $0.isLoading = false
            $0.error = Fixture.refused
        }
        await store.send(.verificationCodeChanged("65432")) { $0.verificationCode = "65432" }
    }

    @Test func anotherNumberCancelsTheRequest() async {
        let store = TestStore(
            initialState: PhoneNumberChangeFeature.State(
                step: .code, newPhoneNumber: number, verificationCode: "123456")
        ) {
            PhoneNumberChangeFeature()
        } withDependencies: {
            $0.userClient.changePhoneNumber = { _, _ in try await Task.never() }
        }
        await store.send(.confirmButtonTapped) { $0.isLoading = true }
        await store.send(.confirmButtonTapped)
        await store.send(.otherNumberButtonTapped) { $0 = .init(newPhoneNumber: "+15550199") }
        await store.finish()
    }

    @Test func numberIsLockedWhileItsCodeIsRequested() async {
        let store = TestStore(initialState: PhoneNumberChangeFeature.State(newPhoneNumber: number))
        {
            PhoneNumberChangeFeature()
        } withDependencies: {
            $0.authClient.sendCode = { _, _ in try await Task.never() }
        }
        await store.send(.sendCodeButtonTapped) { $0.isLoading = true }
        await store.send(.newPhoneNumberChanged("+15550111"))
        await store.send(.sendCodeButtonTapped)
        await store.skipInFlightEffects()
    }

    @Test func closingTheSheetCancelsTheRequest() async {
        let store = TestStore(initialState: ProfileFeature.State()) {
            ProfileFeature()
        } withDependencies: {
            $0.authClient.sendCode = { _, _ in try await Task.never() }
        }
        await store.send(.changePhoneNumberButtonTapped) {
            $0.destination = .phoneNumberChange(.init())
        }
        await store.send(\.destination.phoneNumberChange.newPhoneNumberChanged, number) {
            $0.destination?.modify(\.phoneNumberChange) { $0.newPhoneNumber = "+15550199" }
        }
        await store.send(\.destination.phoneNumberChange.sendCodeButtonTapped) {
            $0.destination?.modify(\.phoneNumberChange) { $0.isLoading = true }
        }
        await store.send(\.destination.dismiss) { $0.destination = nil }
        await store.finish()
    }

    private func error<Value>(_ rule: () throws -> Value) -> UserFacingError? {
        do {
            _ = try rule()
            return nil
        } catch {
            return UserFacingError(catching: error)
        }
    }
}
