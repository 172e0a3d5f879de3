import Domain
import Testing

@Suite struct CodeTextTests {
    @Test func codeTextNamesItsLifetime() {
        #expect(
            NotificationText.signInCode("000042")
                == "000042 is your LifeSignal code. It is valid for 5 minutes. Don't share it.")
    }

    @Test func codeEmailHasTheCodeInItsSubjectAndNoLink() {
        #expect(NotificationText.emailCodeSubject("000042") == "000042 is your LifeSignal code")
        let paragraphs = NotificationText.emailCode("000042")
        #expect(
            paragraphs.first
                == "000042 is the code for this e-mail address. Enter it in LifeSignal.")
        #expect(!paragraphs.joined().contains("http"))
    }
}
