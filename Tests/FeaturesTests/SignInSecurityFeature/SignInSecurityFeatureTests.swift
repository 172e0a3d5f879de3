import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct SignInSecurityFeatureTests {
    private let locked = SignInSecurity(isLocked: true, recoveryCodes: 10)

    private func store(
        _ state: SignInSecurityFeature.State = .init(),
        prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<SignInSecurityFeature> {
        TestStore(initialState: state) {
            SignInSecurityFeature()
        } withDependencies: {
            $0.uuid = .incrementing
            prepare(&$0)
        }
    }

    @Test func failedLoadCanBeRetried() async {
        let store = store {
            $0.signInSecurityClient.security = { throw UserFacingError.unavailable }
        }
        await store.send(.onAppear)
        await store.receive(.loaded(.failure(.unavailable))) { $0.error = .unavailable }
        store.dependencies.signInSecurityClient.security = { [locked] in locked }
        await store.send(.retryButtonTapped) { $0.error = nil }
        await store.receive(.loaded(.success(locked))) { [locked] in $0.security = locked }
    }

    @Test func dismissedFailureOfALoadLoadsAgain() async {
        let store = store(.init(error: .unavailable)) { [locked] in
            $0.signInSecurityClient.security = { locked }
        }
        await store.send(.dismissError) { $0.error = nil }
        await store.receive(.loaded(.success(locked))) { [locked] in $0.security = locked }
    }

    @Test func newsKeepsTypedWordsNewCodesAndTheQuestion() async {
        var state = SignInSecurityFeature.State(
            security: SignInSecurity(recoveryCodes: 10), newCodes: ["A"], recoveryCode: "7KQ2")
        state.confirmation = .newCodes
        let store = store(state) { [locked] in
            $0.signInSecurityClient.security = { locked }
        }
        await store.send(.newsCame)
        await store.receive(.loaded(.success(locked))) { [locked] in $0.security = locked }
        store.dependencies.signInSecurityClient.security = { throw UserFacingError.unavailable }
        await store.send(.newsCame)
        await store.finish()
    }

    @Test func newsWaitsForTheFirstLoadAndForChanges() async {
        await store().send(.newsCame)
        await store(.init(security: locked, isChanging: true)).send(.newsCame)
    }

    @Test func lockIsTurnedOnAfterAQuestion() async {
        let store = store(.init(security: SignInSecurity())) { [locked] in
            $0.signInSecurityClient.lock = { locked }
        }
        await store.send(.lockButtonTapped) { $0.confirmation = .lock(recoveryCodes: 0) }
        await store.send(.confirmation(.presented(.lockConfirmed))) {
            $0.confirmation = nil
            $0.isChanging = true
        }
        await store.receive(.changeResponse(.success(locked))) { [locked] in
            $0.isChanging = false
            $0.security = locked
        }
    }

    @Test func endingLockIsKeptOnAtOnce() async {
        let ending = SignInSecurity(isLocked: true, lockEndsAt: Fixture.now, recoveryCodes: 10)
        let store = store(.init(security: ending)) { [locked] in
            $0.signInSecurityClient.lock = { locked }
        }
        await store.send(.lockButtonTapped) { $0.isChanging = true }
        await store.receive(.changeResponse(.success(locked))) { [locked] in
            $0.isChanging = false
            $0.security = locked
        }
    }

    @Test func questionNamesTheCodes() {
        let words = { SignInSecurityFeature.lockWarning(recoveryCodes: $0) }
        #expect(words(0).hasSuffix("You have no recovery codes."))
        #expect(words(1).hasSuffix("You have 1 recovery code."))
        #expect(words(10).hasSuffix("You have 10 recovery codes."))
    }

    @Test func secondPressWaitsForTheAnswer() async {
        var state = SignInSecurityFeature.State(security: SignInSecurity())
        state.isChanging = true
        let store = store(state)
        await store.send(.lockButtonTapped)
    }

    @Test func typedCodeTurnsTheLockOff() async {
        let store = store(.init(security: locked)) {
            $0.signInSecurityClient.unlock = { code in
                SignInSecurity(recoveryCodes: code == "7KQ2" ? 9 : 0)
            }
        }
        await store.send(.recoveryCodeChanged(" 7KQ2 ")) { $0.recoveryCode = " 7KQ2 " }
        await store.send(.unlockButtonTapped) { $0.isChanging = true }
        await store.receive(.changeResponse(.success(SignInSecurity(recoveryCodes: 9)))) {
            $0.isChanging = false
            $0.recoveryCode = ""
            $0.security = SignInSecurity(recoveryCodes: 9)
        }
    }

    @Test func failedStopKeepsTheWait() async {
        let store = store(.init(security: locked)) {
            $0.signInSecurityClient.stopWait = { throw UserFacingError.unavailable }
        }
        await store.send(.stopWaitButtonTapped) { $0.isChanging = true }
        await store.receive(.changeResponse(.failure(.unavailable))) {
            $0.isChanging = false
            $0.error = .unavailable
        }
        await store.send(.dismissError) { $0.error = nil }
    }

    @Test func firstCodesAreShownUntilDone() async {
        let clock = TestClock()
        let store = store(.init(security: SignInSecurity())) {
            $0.continuousClock = clock
            $0.signInSecurityClient.makeCodes = { _, _ in ["A", "B"] }
        }
        await store.send(.makeCodesButtonTapped) {
            $0.isChanging = true
            $0.codesRequest = UUID(0)
        }
        await store.receive(.codesResponse(.success(["A", "B"]))) {
            $0.isChanging = false
            $0.newCodes = ["A", "B"]
            $0.security?.recoveryCodes = 2
        }
        #expect(store.state.copiedText == "A\nB")
        await store.send(.copyButtonTapped) { $0.isCopied = true }
        await clock.advance(by: .seconds(2))
        await store.receive(.copyExpired) { $0.isCopied = false }
        await store.send(.doneButtonTapped) {
            $0.newCodes = nil
            $0.codesRequest = nil
            $0.isCodesRequestOver = true
        }
        // A browser's answer that comes late is about the stored codes.
        await store.send(.codesRequestKept(UUID(0).uuidString))
    }

    @Test func keptRequestIsRepeated() async {
        let requests = Calls<UUID>([])
        let store = store(.init(security: SignInSecurity())) {
            $0.signInSecurityClient.makeCodes = { _, request in
                requests.withValue { $0.append(request) }
                return ["A"]
            }
        }
        store.exhaustivity = .off
        await store.send(.codesRequestKept("x"))
        #expect(store.state.codesRequest == nil)
        await store.send(.codesRequestKept(UUID(7).uuidString))
        await store.send(.makeCodesButtonTapped)
        await store.receive(.codesResponse(.success(["A"])))
        await store.send(.doneButtonTapped)
        await store.send(.makeCodesButtonTapped)
        await store.send(.confirmation(.presented(.newCodesConfirmed)))
        await store.receive(.codesResponse(.success(["A"])))
        #expect(requests.value == [UUID(7), UUID(0)])
    }

    @Test func replacingCodesIsConfirmedFirst() async {
        let store = store(.init(security: locked)) {
            $0.signInSecurityClient.makeCodes = { _, _ in throw UserFacingError.unavailable }
        }
        await store.send(.makeCodesButtonTapped) { $0.confirmation = .newCodes }
        await store.send(.confirmation(.presented(.newCodesConfirmed))) {
            $0.confirmation = nil
            $0.isChanging = true
            $0.codesRequest = UUID(0)
        }
        await store.receive(.codesResponse(.failure(.unavailable))) {
            $0.isChanging = false
            $0.error = .unavailable
        }
    }

    @Test func repeatedRequestKeepsItsIDUntilTheCodesAreHere() async {
        let (requests, gone) = (
            Calls<UUID>([]), UserFacingError(CommandError.alreadyExists("Replaced."))
        )
        let store = store(.init(security: SignInSecurity())) {
            $0.signInSecurityClient.makeCodes = { _, request in
                requests.withValue { $0.append(request) }
                switch requests.value.count {
                case 1: throw UserFacingError.unavailable
                case 2: throw gone
                default: return ["A"]
                }
            }
        }
        store.exhaustivity = .off
        await store.send(.makeCodesButtonTapped)
        await store.receive(.codesResponse(.failure(.unavailable)))
        await store.send(.makeCodesButtonTapped)
        await store.receive(.codesResponse(.failure(gone)))
        await store.send(.makeCodesButtonTapped)
        await store.receive(.codesResponse(.success(["A"])))
        #expect(requests.value == [UUID(0), UUID(0), UUID(1)])
    }
}
