import Domain
import Features
import Testing

@testable import LivePages
@testable import Web

@Suite("Signing in, on a page")
struct AuthViewTests {
    private func code(
        _ text: String = "", attemptsLeft: Int = SignInRules.triesPerCode, waits: Bool = false,
        isLoading: Bool = false, error: UserFacingError? = nil
    ) throws -> Screen<AuthFeature.Action> {
        let state = AuthFeature.State(
            phoneNumber: "+15550100", verificationCode: text,
            step: .code(sentTo: try PhoneNumber("+15550100")),
            resendAvailableAt: waits ? Sample.now.adding(.seconds(30)) : nil,
            attemptsLeft: attemptsLeft, isLoading: isLoading, error: error)
        return screen { AuthFeature.view(state) }
    }

    @Test func signInAsksForNumberFirst() throws {
        let page = screen { AuthFeature.view(.init(phoneNumber: "+1 555 01")) }
        #expect(page.headings == [1])
        #expect(page.markup.contains("<main data-p="))
        let field = try page.control(labelled: "Phone number")
        #expect(field.attribute("type") == "tel")
        #expect(field.attribute("autocomplete") == "tel")
        #expect(field.attribute("value") == "+1 555 01")
        #expect(
            try page.change("Phone number", to: .text("+15550100"))
                == .phoneNumberChanged("+15550100"))
        #expect(try page.send("submit", from: "form") == .sendCodeButtonTapped)
        #expect(
            page.buttons
                == ["Another country", "Send code", "Use a passkey", "Use a recovery code"])
    }

    @Test func signInOffersCountriesOfNumbers() throws {
        var state = AuthFeature.State(country: PhoneCountry("DE"))
        let small = screen { AuthFeature.view(state) }
        #expect(!small.markup.contains("Austria"))
        #expect(try small.press("Another country") == .otherCountryButtonTapped)
        state.showsAllCountries = true
        let page = screen { AuthFeature.view(state) }
        #expect(page.shows("As you dial it in Germany, or with + and another country’s code"))
        #expect(page.markup.contains(#"selected>Germany (+49)<"#))
        #expect(
            try page.change("Country of the number", to: .text("AT"), "choose")
                == .countryChosen(PhoneCountry("AT")))
        #expect(
            try page.change("Country of the number", to: .text(""), "choose") == .countryChosen(nil)
        )
    }

    @Test func signInShowsInviter() throws {
        let page = screen { AuthFeature.view(.init(inviter: "Ana")) }
        #expect(page.shows("Ana invites you to LifeSignal."))
        let plain = screen { AuthFeature.view(.init()) }
        #expect(!plain.shows("invites you"))
    }

    @Test func signInSaysWhatANewAccountNeeds() throws {
        let options = SignInOptions(
            signUp: .invited, sendsCodes: false, operatorContact: "ops@example.org")
        let page = screen { AuthFeature.view(.init(options: options)) }
        #expect(page.shows("A new account on this server needs an invitation."))
        #expect(page.shows("for a link that signs you in: ops@example.org."))
        #expect(!page.shows("text you a 6-digit code"))
        let linked = screen { AuthFeature.view(.init(token: "secret", options: options)) }
        #expect(linked.shows("You have a sign-up link."))
        #expect(!linked.markup.contains("secret"))
    }

    @Test func codeButtonIsDisabledWhileSending() throws {
        let page = screen { AuthFeature.view(.init(isLoading: true)) }
        #expect(try !page.canPress("Sending …"))
    }

    @Test func signInAsksForCodeSecond() throws {
        let page = try code("123")
        #expect(page.shows("If +15550100 may sign in here, we sent it there."))
        let field = try page.control(labelled: "6-digit code")
        #expect(field.attribute("autocomplete") == "one-time-code")
        #expect(field.attribute("inputmode") == "numeric")
        #expect(field.attribute("data-submit-at") == "6")
        #expect(
            try page.change("6-digit code", to: .text("123456"))
                == .verificationCodeChanged("123456"))
        #expect(try page.send("submit", from: "form") == .verifyButtonTapped)
        #expect(try !page.canPress("Sign in"))
        #expect(try code("123456").canPress("Sign in"))
        #expect(try page.press("Change the phone number") == .changePhoneNumberButtonTapped)
        #expect(try page.press("Send another code") == .resendCodeButtonTapped)
    }

    @Test func numberIsFixedWhileACodeIsChecked() throws {
        let number = try PhoneNumber("+15550100")
        for step in [
            AuthFeature.Step.code(sentTo: number), .recoveryCode(number: number.text),
        ] {
            for isLoading in [false, true] {
                let page = screen { AuthFeature.view(.init(step: step, isLoading: isLoading)) }
                #expect(try page.canPress("Change the phone number") == !isLoading)
            }
        }
    }

    @Test func nextCodeNeedsWaiting() throws {
        let page = try code(waits: true)
        #expect(page.shows("You can ask for another in"))
        #expect(page.markup.contains("data-countdown"))
        #expect(!page.buttons.contains("Send another code"))
    }

    @Test(arguments: [(5, ""), (4, "4 tries left."), (1, "1 try left."), (0, "No tries left.")])
    func showsRemainingTries(left: Int, words: String) throws {
        let page = try code(attemptsLeft: left)
        #expect(words.isEmpty ? !page.shows("left") : page.shows(words))
    }

    @Test func refusedCodeIsShownAtField() throws {
        let refusals = [
            ("unauthenticated", "Not right. Look again."), ("invalid-argument", "Six."),
        ]
        for (name, words) in refusals {
            let error = UserFacingError(
                title: "Not right", message: "Six.", recoverySuggestion: "Look again.", code: name)
            let page = try code(error: error)
            #expect(page.shows(words) && !page.buttons.contains("Dismiss"))
            #expect(try page.control(labelled: "6-digit code").attribute("aria-invalid") == "true")
        }
    }

    @Test func signInErrorCanBeDismissed() throws {
        let page = try code(error: Sample.error)
        #expect(page.shows("Too many attempts Please wait 20 seconds. Try again after that."))
        #expect(try page.press("Dismiss") == .dismissError)
    }

    @Test func typedMarkupIsEscaped() {
        let page = screen { AuthFeature.view(.init(phoneNumber: Sample.hostile)) }
        #expect(page.markup.contains("value=\"\(Sample.hostileEscaped)\""))
        #expect(!page.markup.contains("<script"))
    }
}
