import Foundation
import Testing

@testable import Domain

@Suite struct EndpointWordsTests {
    private let session = Session(
        id: SessionID(UUID()), deviceName: "Firefox on Linux", createdAt: .distantPast,
        lastUsedAt: .distantPast, isCurrent: false)

    private func endpoint(
        _ kind: PushEndpoint.Kind, id: PushEndpointID = PushEndpointID(UUID()),
        failure: String? = nil
    ) throws -> PushEndpoint {
        PushEndpoint(
            id: id, kind: kind, url: try #require(URL(string: "https://example.org/secret")),
            createdAt: .distantPast, failingSince: failure.map { _ in .distantPast },
            lastFailure: failure)
    }

    @Test func browserIsNamedAfterItsSession() throws {
        let own = PushEndpoint.id(ofBrowserIn: session.id)
        #expect(try endpoint(.webPush, id: own).name(among: [session]) == "Firefox on Linux")
        #expect(try endpoint(.webPush).name(among: [session]) == "A browser")
        #expect(try endpoint(.webhook).name(among: [session]) == "example.org")
        #expect(try endpoint(.unknown).name(among: []) == "Another device")
    }

    @Test(arguments: [
        ("http-410", "It says that it no longer exists (410)."),
        ("http-503", "reported an error (503)"),
        ("http-429", "too many messages"), ("http-400", "refused the last message (400)"),
        ("timeout", "did not answer in time"), ("interrupted", "can’t be reached"),
        ("not-connected", "can’t be reached"),
        ("private-address", "private one"), ("of-a-newer-server", "refused the last message."),
    ])
    func aFailureIsSaidInWords(reason: String, words: String) throws {
        #expect(try endpoint(.webPush, failure: reason).failureWords?.contains(words) == true)
    }

    @Test func workingEndpointShowsNoFailure() throws {
        #expect(try endpoint(.webhook).failureWords == nil)
    }
}
