import ClientsLive
import ComposableArchitecture
import Domain
import Features
import Foundation
import Testing

@testable import LivePages
@testable import Web

/// The page while the session of a signed-in browser is being restored, which takes as long as the
/// API needs.
@Suite struct LaunchingPageTests {
    private actor Launch {
        func outline(_ resources: SessionResources) -> Outline {
            let app: PageApp<AppFeature, SessionResources> = .lifeSignal(
                publicURL: URL(fileURLWithPath: "/"), time: { Sample.now })
            return app.makeStore(resources, self).withState { app.outline($0) }
        }
    }

    /// The script takes a page without a user for a sign-out, and ends the push subscription.
    @Test(arguments: [TestHost.ada, nil] as [Caller?])
    func launchingPageNamesTheSessionsUser(caller: Caller?) async {
        let credentials = Credentials(caller.map { SessionTokens.some(of: $0) })
        let resources = SessionResources(
            credentials: credentials,
            connection: Connection(transport: FakeTransport(host: TestHost()), store: credentials))
        let outline = await Launch().outline(resources)
        #expect(outline.user == caller?.userID.description ?? "")
        #expect(outline.title == (caller == nil ? "LifeSignal: sign in" : "LifeSignal"))
        resources.end()
    }
}
