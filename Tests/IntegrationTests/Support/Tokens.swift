import ClientsLive
import Neighbourhood

/// The tokens of a run before, whose process has ended.
func signedIn(_ number: String, in town: Neighbourhood) async throws -> MemoryTokenStore {
    let tokens = MemoryTokenStore()
    let earlier = Resident("An earlier run", in: town, tokens: tokens)
    try await earlier.signIn(number, in: town)
    await earlier.clients.stop()
    return tokens
}
