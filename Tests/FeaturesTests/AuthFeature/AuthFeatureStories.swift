import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor
@Suite struct AuthFeatureStories {
    let clock = TestClock()
    let number: PhoneNumber
    let ana = SignedIn(userID: Fixture.ana, isNewUser: true)
    nonisolated static let wrongCode = UserFacingError(
        CommandError.unauthenticated("That code is not right. Check the message and try again."))

    init() throws { number = try PhoneNumber("+4915112345678") }

    func store(
        _ state: AuthFeature.State = .init(),
        with prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<AuthFeature> {
        TestStore(initialState: state) {
            AuthFeature()
        } withDependencies: {
            $0.continuousClock = clock
            $0.date = .following(clock)
            prepare(&$0)
        }
    }

    var codeStep: AuthFeature.State {
        .init(phoneNumber: "+49 151 12345678", step: .code(sentTo: number))
    }

    @Test func nationalNumberUsesTheChosenCountry() async throws {
        let numbers = Calls<String>([])
        let (austria, germany) = (PhoneCountry("AT"), PhoneCountry("DE"))
        let store = store(.init(country: austria)) {
            $0.authClient.sendCode = { number, _ in
                numbers.withValue { $0.append(number) }
                return try PhoneNumber("+4915112345678")
            }
        }
        await store.send(.otherCountryButtonTapped) { $0.showsAllCountries = true }
        await store.send(.countryChosen(germany)) { $0.country = germany }
        await store.send(.phoneNumberChanged("0151 12345678")) {
            $0.phoneNumber = "0151 12345678"
        }
        await store.send(.sendCodeButtonTapped) { $0.isLoading = true }
        await store.receive(\.sendCodeResponse.success) {
            $0.isLoading = false
            $0.step = .code(sentTo: number)
            $0.resendAvailableAt = Fixture.now.adding(.seconds(30))
        }
        #expect(numbers.value == ["+49015112345678"])
        await store.send(.countryChosen(austria))
        await store.send(.changePhoneNumberButtonTapped) {
            $0 = .init(phoneNumber: "0151 12345678", country: germany)
        }
    }

    @Test func typedNumberAndPastedCodeSignIn() async {
        let (numbers, codes) = (Calls<String>([]), Calls<String>([]))
        let store = store { [ana] in
            $0.authClient.sendCode = { number, _ in
                numbers.withValue { $0.append(number) }
                return try PhoneNumber(number)
            }
            $0.authClient.signIn = { _, code in
                codes.withValue { $0.append(code) }
                return ana
            }
        }
        await store.send(.phoneNumberChanged("0049 151-12345678")) {
            $0.phoneNumber = "0049 151-12345678"
        }
        await store.send(.sendCodeButtonTapped) { $0.isLoading = true }
        await store.receive(\.sendCodeResponse.success) {
            $0.isLoading = false
            $0.step = .code(sentTo: number)
            $0.resendAvailableAt = Fixture.now.adding(.seconds(30))
        }
        await store.send(.verificationCodeChanged("Your code: 123 456")) {
            $0.verificationCode = "123456"
            $0.isLoading = true
        }
        await store.receive(\.verifyResponse.success) {
            $0.isLoading = false
            $0.verificationCode = ""
            $0.resendAvailableAt = nil
        }
        await store.receive(\.delegate.signedIn, ana)
        #expect(numbers.value == ["+4915112345678"] && codes.value == ["123456"])
    }

    @Test func invalidNumberIsNotSent() async {
        let store = store(.init(phoneNumber: "call me"))
        await store.send(.sendCodeButtonTapped) {
            $0.error = UserFacingError(catching: refusedNumber)
        }
        await store.send(.phoneNumberChanged("0151 1234567")) {
            $0.phoneNumber = "0151 1234567"
            $0.error = nil
        }
    }

    /// The server knows the country. The screen shows the number in the server's form.
    @Test func nationalNumberIsShownInternationally() async {
        let store = store(.init(phoneNumber: "0151 12345678")) { [number] in
            $0.authClient.sendCode = { text, isConfirmed in
                #expect(text == "015112345678" && !isConfirmed)
                return number
            }
        }
        store.exhaustivity = .off
        await store.send(.sendCodeButtonTapped)
        await store.receive(\.sendCodeResponse.success)
        #expect(store.state.codeSentTo == number)
    }

    @Test func resendingConfirmsADoubtfulNumber() async {
        let answers = Calls<Bool>([])
        let question = UserFacingError(
            title: "", message: "", recoverySuggestion: "", code: UserFacingError.numberInDoubt)
        let store = store(.init(phoneNumber: "+2290197999999")) {
            $0.authClient.sendCode = { number, isConfirmed in
                answers.withValue { $0.append(isConfirmed) }
                guard isConfirmed else { throw question }
                return try PhoneNumber(number)
            }
        }
        store.exhaustivity = .off
        await store.send(.sendCodeButtonTapped)
        await store.receive(\.sendCodeResponse.failure)
        // For a different number, the server requires another confirmation.
        await store.send(.phoneNumberChanged("+2290197999998"))
        await store.send(.sendCodeButtonTapped)
        await store.receive(\.sendCodeResponse.failure)
        await store.send(.sendCodeButtonTapped)
        await store.receive(\.sendCodeResponse.success)
        #expect(answers.value == [false, false, true])
    }

    /// The same digits are another number in another country.
    @Test func anotherCountryEndsTheDoubt() async {
        let answers = Calls<Bool>([])
        let question = UserFacingError(
            title: "", message: "", recoverySuggestion: "", code: UserFacingError.numberInDoubt)
        let (austria, germany) = (PhoneCountry("AT"), PhoneCountry("DE"))
        let store = store(.init(phoneNumber: "0151 12345678", country: austria)) {
            $0.authClient.sendCode = { _, isConfirmed in
                answers.withValue { $0.append(isConfirmed) }
                throw question
            }
        }
        store.exhaustivity = .off
        await store.send(.sendCodeButtonTapped)
        await store.receive(\.sendCodeResponse.failure)
        await store.send(.countryChosen(germany))
        await store.send(.sendCodeButtonTapped)
        await store.receive(\.sendCodeResponse.failure)
        #expect(answers.value == [false, false])
    }

    private var refusedNumber: CommandError {
        do {
            _ = try PhoneNumber.digits(typed: "call me")
            return .unavailable("it was taken")
        } catch {
            return error
        }
    }

    @Test func doubleTapRequestsOneCode() async {
        let numbers = Calls<String>([])
        let store = store(.init(phoneNumber: "+4915112345678")) { [clock] in
            $0.authClient.sendCode = { number, _ in
                numbers.withValue { $0.append(number) }
                try await clock.sleep(for: .seconds(1))
                return try PhoneNumber(number)
            }
        }
        await store.send(.sendCodeButtonTapped) { $0.isLoading = true }
        await store.send(.sendCodeButtonTapped)
        await store.send(.phoneNumberChanged("+1"))
        await store.send(.onDisappear) { $0.isLoading = false }
        await clock.advance(by: .seconds(1))
        #expect(numbers.value.count == 1)
    }

    @Test func rateLimitShowsAText() async {
        let tooMany = UserFacingError(CommandError.rateLimited(retryAfter: .minutes(20)))
        let store = store(.init(phoneNumber: "+4915112345678")) {
            $0.authClient.sendCode = { _, _ in throw tooMany }
        }
        await store.send(.sendCodeButtonTapped) { $0.isLoading = true }
        await store.receive(\.sendCodeResponse.failure) {
            $0.isLoading = false
            $0.error = tooMany
        }
        await store.send(.dismissError) { $0.error = nil }
    }

    @Test func sixthDigitSubmitsAndOtherCharactersAreDropped() async {
        let store = store(codeStep) { [ana] in $0.authClient.signIn = { _, _ in ana } }
        await store.send(.verificationCodeChanged("1")) { $0.verificationCode = "1" }
        await store.send(.verificationCodeChanged("1x"))
        await store.send(.verificationCodeChanged("12345")) { $0.verificationCode = "12345" }
        await store.send(.verifyButtonTapped)
        #expect(!store.state.canVerify)
        await store.send(.verificationCodeChanged("123456")) {
            $0.verificationCode = "123456"
            $0.isLoading = true
        }
        await store.receive(\.verifyResponse.success) {
            $0.isLoading = false
            $0.verificationCode = ""
        }
        await store.receive(\.delegate.signedIn)
    }

    @Test func wrongCodesUseUpTheTries() async {
        let store = store(codeStep) {
            $0.authClient.signIn = { _, _ in throw Self.wrongCode }
            $0.authClient.sendCode = { number, _ in try PhoneNumber(number) }
        }
        for left in [4, 3, 2, 1, 0] {
            await store.send(.verificationCodeChanged("00000\(left)")) {
                $0.verificationCode = "00000\(left)"
                $0.isLoading = true
                $0.error = nil
            }
            await store.receive(\.verifyResponse.failure) {
                $0.verificationCode = ""
                $0.isLoading = false
                $0.error = Self.wrongCode
                $0.attemptsLeft = left
            }
        }
        await store.send(.verificationCodeChanged("123456")) {
            $0.verificationCode = "123456"
            $0.error = nil
        }
        await store.send(.verifyButtonTapped)
        await store.send(.resendCodeButtonTapped) { $0.isLoading = true }
        await store.receive(\.sendCodeResponse.success) {
            $0.isLoading = false
            $0.verificationCode = ""
            $0.attemptsLeft = 5
            $0.resendAvailableAt = Fixture.now.adding(.seconds(30))
        }
        await store.send(.onDisappear) { $0.resendAvailableAt = nil }
    }

    @Test func connectionFailureCostsNoTry() async {
        let store = store(codeStep) {
            $0.authClient.signIn = { _, _ in throw UserFacingError.unavailable }
        }
        await store.send(.verificationCodeChanged("123456")) {
            $0.verificationCode = "123456"
            $0.isLoading = true
        }
        await store.receive(\.verifyResponse.failure) {
            $0.isLoading = false
            $0.error = .unavailable
        }
        #expect(store.state.attemptsLeft == 5)
        #expect(
            store.state.verificationCode == "123456" && store.state.canVerify,
            "Nobody types it twice.")
    }

    @Test func anotherCodeCanBeRequestedAfterThirtySeconds() async {
        let store = store(.init(phoneNumber: "+4915112345678")) {
            $0.authClient.sendCode = { number, _ in try PhoneNumber(number) }
        }
        await store.send(.sendCodeButtonTapped) { $0.isLoading = true }
        await store.receive(\.sendCodeResponse.success) {
            $0.isLoading = false
            $0.step = .code(sentTo: number)
            $0.resendAvailableAt = Fixture.now.adding(.seconds(30))
        }
        await clock.advance(by: .seconds(29))
        #expect(!store.state.canResend)
        await store.send(.resendCodeButtonTapped)
        await clock.advance(by: .seconds(1))
        await store.receive(\.resendCountdownEnded) { $0.resendAvailableAt = nil }
        #expect(store.state.canResend)
    }

    /// The request may sign in, and its answer leads to the next screen.
    @Test func codeInFlightKeepsTheNumber() async {
        let store = store(codeStep) { [clock, ana] in
            $0.authClient.signIn = { _, _ in
                try await clock.sleep(for: .seconds(1))
                return ana
            }
        }
        await store.send(.verificationCodeChanged("123456")) {
            $0.verificationCode = "123456"
            $0.isLoading = true
        }
        await store.send(.verificationCodeChanged("654321"))
        await store.send(.changePhoneNumberButtonTapped)
        await store.send(.tokenOpened(Self.token)) { $0.token = Self.token }
        await clock.advance(by: .seconds(1))
        await store.receive(\.verifyResponse.success) {
            $0.isLoading = false
            $0.verificationCode = ""
        }
        await store.receive(\.delegate.signedIn, ana)
    }

    @Test func anotherNumberBeginsAnew() async {
        let store = store(codeStep)
        await store.send(.verificationCodeChanged("12345")) { $0.verificationCode = "12345" }
        await store.send(.changePhoneNumberButtonTapped) {
            $0 = .init(phoneNumber: "+49 151 12345678")
        }
    }

    // MARK: Sign-up links

    private static let token = String(repeating: "A", count: 43)

    @Test func linkForTheNumberSignsInWithoutACode() async {
        let passes = Calls<SignUpPass>([])
        let store = store(.init(phoneNumber: "+4915112345678")) { [ana] in
            $0.authClient.join = { _, _, pass in
                passes.withValue { $0.append(pass) }
                return .signedIn(ana)
            }
        }
        await store.send(.tokenOpened(Self.token)) { $0.token = Self.token }
        await store.send(.sendCodeButtonTapped) { $0.isLoading = true }
        await store.receive(\.joinResponse.success) { $0.isLoading = false }
        await store.receive(\.delegate.signedIn, ana)
        #expect(passes.value == [SignUpPass(token: Self.token)])
    }

    @Test func linkForNewAccountsLeadsToTheCode() async {
        let store = store(.init(phoneNumber: "+4915112345678", token: Self.token)) { [number] in
            $0.authClient.join = { _, _, _ in .codeSent(number) }
        }
        await store.send(.sendCodeButtonTapped) { $0.isLoading = true }
        await store.receive(\.joinResponse.success) {
            $0.isLoading = false
            $0.step = .code(sentTo: number)
            $0.resendAvailableAt = Fixture.now.adding(.seconds(30))
        }
        await store.send(.changePhoneNumberButtonTapped) {
            $0 = .init(phoneNumber: "+4915112345678", token: Self.token)
        }
    }

    @Test(arguments: [
        (InvalidInputReason.tokenUsedUp, false), (.tokenExpired, false), (.tokenRevoked, false),
        (.tokenUnknown, false), (.signUpClosed, false), (.tokenOtherNumber, true),
    ])
    func onlyADeadLinkIsForgotten(reason: InvalidInputReason, isKept: Bool) async {
        let error = UserFacingError(
            title: "T", message: "M", recoverySuggestion: "R", code: reason.rawValue)
        let store = store(.init(phoneNumber: "+4915112345678", token: Self.token)) {
            $0.authClient.join = { _, _, _ in throw error }
        }
        await store.send(.sendCodeButtonTapped) { $0.isLoading = true }
        await store.receive(\.joinResponse.failure) {
            $0.isLoading = false
            $0.error = error
            $0.token = isKept ? Self.token : nil
        }
    }

    @Test func invitersCodeIsShownOnlyToAnInvitedServer() async {
        let passes = Calls<SignUpPass>([])
        for mode in SignUpMode.allCases {
            let options = SignInOptions(signUp: mode, sendsCodes: true)
            let state = AuthFeature.State(
                phoneNumber: "+4915112345678", inviter: "Ana", inviterCode: "code",
                options: options)
            let store = store(state) { [number] in
                $0.authClient.sendCode = { _, _ in number }
                $0.authClient.join = { _, _, pass in
                    passes.withValue { $0.append(pass) }
                    return .codeSent(number)
                }
            }
            store.exhaustivity = .off
            await store.send(.sendCodeButtonTapped)
            if mode == .invited {
                await store.receive(\.joinResponse.success)
            } else {
                await store.receive(\.sendCodeResponse.success)
            }
            await store.send(.onDisappear)
        }
        #expect(passes.value == [SignUpPass(inviterCode: "code")])
    }

    @Test(arguments: [SignUpMode.invited, .open, nil])
    func invitersCodeWaitsForTheOptions(mode: SignUpMode?) async {
        let options = mode.map { SignInOptions(signUp: $0, sendsCodes: true) }
        let state = AuthFeature.State(phoneNumber: "+4915112345678", inviterCode: "code")
        let store = store(state) { [number] in
            $0.authClient.signInOptions = { options }
            $0.authClient.sendCode = { _, _ in number }
            $0.authClient.join = { _, _, _ in .codeSent(number) }
        }
        store.exhaustivity = .off
        await store.send(.sendCodeButtonTapped)
        if mode == .invited {
            await store.receive(\.joinResponse.success)
        } else {
            await store.receive(\.sendCodeResponse.success)
        }
        #expect(store.state.options == options)
        await store.send(.onDisappear)
    }

    @Test func pageSaysOnlyWhatIsKnown() {
        func state(_ mode: SignUpMode, token: String? = nil, sendsCodes: Bool = true)
            -> AuthFeature.State
        {
            .init(
                token: token,
                options: .init(
                    signUp: mode, sendsCodes: sendsCodes, operatorContact: "ops@example.org"))
        }
        #expect(state(.open).sentWords(to: number) == "We sent it to +4915112345678.")
        #expect(
            AuthFeature.State().sentWords(to: number)
                == "If +4915112345678 may sign in here, we sent it there.")
        var limited = state(.open)
        limited.options?.limitsCountries = true
        #expect(
            limited.sentWords(to: number)
                == "If +4915112345678 may sign in here, we sent it there.")
        limited.token = Self.token
        let unlessLimited =
            "We sent it to +4915112345678, unless this server has reached a limit of codes."
        #expect(limited.sentWords(to: number) == unlessLimited)
        #expect(state(.open).signUpWords == nil)
        #expect(
            state(.invited).sentWords(to: number)
                == "If +4915112345678 has an account or an invitation, we sent it there.")
        for mode in [SignUpMode.open, .invited] {
            #expect(state(mode, token: Self.token).sentWords(to: number) == unlessLimited)
        }
        #expect(
            state(.closed).sentWords(to: number)
                == "If +4915112345678 has an account, we sent it there.")
        #expect(
            state(.open, sendsCodes: false).sentWords(to: number)
                == "The people who run this server know the code of +4915112345678.")
        #expect(state(.open).codeHint == "We’ll text you a 6-digit code.")
        #expect(
            state(.open, sendsCodes: false).codeHint.hasSuffix(
                "Ask the people who run it for a link that signs you in: ops@example.org."))
    }
}
