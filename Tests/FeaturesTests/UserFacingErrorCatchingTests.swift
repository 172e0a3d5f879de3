import Domain
import Foundation
import Testing

@testable import Features

@Suite struct UserFacingErrorCatchingTests {
    @Test func userFacingErrorStaysUnchanged() {
        #expect(UserFacingError(catching: UserFacingError.refused) == .refused)
    }

    @Test(
        arguments: [
            CommandError.unauthenticated("a"), .permissionDenied("a"), .notFound("a"),
            .alreadyExists("a"), .invalidArgument(field: "f", "a"),
            .payloadTooLarge(limitInBytes: 5_000_000), .rateLimited(retryAfter: .seconds(3)),
            .unavailable("a"),
        ])
    func eachRuleHasItsText(error: CommandError) {
        let words = UserFacingError(catching: error)
        #expect(words == UserFacingError(error))
        #expect(words != .unknown && !words.text.isEmpty)
    }

    @Test func unexpectedErrorSaysWhatToDo() async {
        struct Surprise: Error {}
        let result: Result<Int, UserFacingError> = await .userFacing { throw Surprise() }
        #expect(result == .failure(.unknown))
        #expect(await Result<Int, UserFacingError>.userFacing { 1 } == .success(1))
    }
}
