import Foundation
import Testing

@testable import Domain

@Suite struct UserFacingErrorTests {
    static let errors: [(CommandError, code: String)] = [
        (.unauthenticated("The session has ended."), "unauthenticated"),
        (.permissionDenied("Only a responder can ping."), "permission-denied"),
        (.notFound("There is no such contact."), "not-found"),
        (.alreadyExists("You are connected already."), "already-exists"),
        (.invalidArgument(field: "name", "A name has 1 to 100 characters."), "invalid-argument"),
        (.payloadTooLarge(limitInBytes: 5_000_000), "payload-too-large"),
        (.rateLimited(retryAfter: .seconds(90)), "rate-limited"),
        (.unavailable("database is locked"), "unavailable"),
    ]

    @Test(arguments: errors)
    func everyErrorHasACodeAndASuggestion(error: CommandError, code: String) {
        let words = UserFacingError(error)
        #expect(words.code == code)
        #expect(ErrorCode.allCases.filter { words.has($0) }.map(\.rawValue) == [code])
        #expect(!words.title.isEmpty && !words.message.isEmpty && !words.recoverySuggestion.isEmpty)
    }

    @Test func everyErrorHasItsOwnText() {
        let all = Self.errors.map { UserFacingError($0.0) } + [.unknown]
        #expect(Set(all.map(\.title)).count == all.count)
        #expect(Set(all.map(\.recoverySuggestion)).count == all.count)
        #expect(Set(all.map(\.code)).count == all.count)
    }

    @Test func ruleMessageIsShown() {
        #expect(
            UserFacingError(.invalidArgument(field: "name", "A name is short.")).message
                == "A name is short.")
        #expect(
            UserFacingError(.notFound("There is no such contact.")).message
                == "There is no such contact.")
    }

    @Test(arguments: [QRCodeRules.notACode, ContactRules.ownCode])
    func unusableCodesHaveTheirOwnTitle(error: CommandError) {
        let words = UserFacingError(error)
        #expect(
            words.title.contains("code") && words.message.contains("code")
                && words.recoverySuggestion.hasPrefix("Scan the code"))
    }

    @Test func contactWithoutARoleGetsAdvice() {
        let words = UserFacingError(ContactRoles.noRole)
        #expect(words.message == RefusalWords.noRole.message)
        #expect(
            words.recoverySuggestion == "Choose at least one role, or remove the contact.")
        // Other refusals keep the general advice.
        let name = UserFacingError(.invalidArgument(field: "name", "A name is short."))
        #expect(name.recoverySuggestion == "Correct it and try again.")
    }

    @Test func internalDetailsAreHidden() {
        #expect(UserFacingError(.unavailable("database is locked")) == .unavailable)
    }

    @Test(
        "a wait is rounded up, so that waiting that long is enough",
        arguments: [
            (0, "1 second"), (1, "1 second"), (1_000, "1 second"), (1_001, "2 seconds"),
            (59_999, "60 seconds"),
            (3_600_000, "3600 seconds"),
        ])
    func wait(milliseconds: Int, words: String) {
        #expect(
            UserFacingError(.rateLimited(retryAfter: .milliseconds(milliseconds))).message
                == "Please wait \(words).")
    }

    @Test(arguments: [
        (5_000_000, "5 MB"), (1_000_000, "1 MB"), (999_999, "999 kB"), (64_000, "64 kB"),
    ])
    func sizeLimitIsNeverShownAsZero(bytes: Int, size: String) {
        #expect(
            UserFacingError(.payloadTooLarge(limitInBytes: bytes)).message
                == "At most \(size) can be sent.")
    }
}
