import Domain
import Foundation
import Testing

@testable import ClientsLive

@Suite struct SyncTests {
    @Test func isIdleUntilSomethingIsWanted() {
        let sync = Sync()
        #expect(sync.isIdle)
        sync.want([.alerts])
        #expect(!sync.isIdle)
    }

    /// Tries to load alerts without a session. Returns whether the sync is idle, and whether it
    /// plans no retry.
    private func failedLoad(for account: isolated Account) async -> (isIdle: Bool, isResting: Bool)
    {
        let sync = Sync()
        sync.want([.alerts])
        let next = await sync.loadWanted(for: account)
        let isResting = if case .rest = next { true } else { false }
        return (sync.isIdle, isResting)
    }

    @Test func failedLoadStaysWanted() async {
        let (isIdle, isResting) = await failedLoad(for: .unreachable())
        #expect(!isIdle)
        // Without a session there is nothing to retry.
        #expect(isResting)
    }

    @Test func withoutWishesNothingIsLoaded() async {
        let account = Account.unreachable()
        guard case .rest = await account.loadWanted() else {
            Issue.record("It loads.")
            return
        }
    }
}
