import API
import Domain
import Foundation
import Synchronization

@testable import ClientsLive

/// A token store whose first saves fail.
final class ScriptedStore: TokenStore {
    private struct State {
        var tokens: SessionTokens?
        var failures: Int
        var saved: [SessionTokens] = []
    }

    private let state: Mutex<State>

    init(_ tokens: SessionTokens?, failures: Int = 0) {
        state = Mutex(State(tokens: tokens, failures: failures))
    }

    var saved: [SessionTokens] { state.withLock { $0.saved } }
    func load() -> SessionTokens? { state.withLock { $0.tokens } }

    func save(_ tokens: SessionTokens) throws {
        try state.withLock { state in
            guard state.failures == 0 else {
                state.failures -= 1
                throw TokenStoreError.failed(path: "tokens", reason: "no space left")
            }
            state.tokens = tokens
            state.saved.append(tokens)
        }
    }

    func delete() { state.withLock { $0.tokens = nil } }
}
