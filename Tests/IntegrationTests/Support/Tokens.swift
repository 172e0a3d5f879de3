import ClientsLive
import TestApp

/// Returns the tokens that an earlier process of this user has stored.
func signedIn(_ number: String, in app: TestApp) async throws -> MemoryTokenStore {
    let tokens = MemoryTokenStore()
    let earlier = TestUser("An earlier run", in: app, tokens: tokens)
    try await earlier.signIn(number, in: app)
    await earlier.clients.stop()
    return tokens
}
