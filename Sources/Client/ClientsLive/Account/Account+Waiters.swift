import API
import Clients
import Domain
import Foundation

extension Account {
    /// - Parameter isTold: whoever waits tells the person of a refusal.
    func sendResult(on id: UUID, showsRefusal: Bool) async -> SendResult {
        let timer = options.patience.map { patience in
            Task { [weak self, clock = environment.clock] in
                try await clock.sleep(patience)
                await self?.settle(id, .postponed)
            }
        }
        defer { timer?.cancel() }
        lastWaiter += 1
        let number = lastWaiter
        // A waiter that has gone shows no error to anybody.
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !isStopped, !Task.isCancelled, entries.contains(where: { $0.id == id }) else {
                    return continuation.resume(returning: .postponed)
                }
                waiters[id, default: []].append(
                    Waiter(number: number, showsRefusal: showsRefusal, continuation: continuation))
            }
        } onCancel: {
            Task { [weak self] in await self?.leave(number, on: id) }
        }
    }

    private func leave(_ number: Int, on id: UUID) {
        guard let index = waiters[id]?.firstIndex(where: { $0.number == number }) else { return }
        waiters[id]?.remove(at: index).continuation.resume(returning: .postponed)
    }

    func isRefusalShown(of id: UUID) -> Bool {
        waiters[id]?.contains(where: \.showsRefusal) == true
    }

    func settle(_ id: UUID, _ sendResult: SendResult) {
        for waiter in waiters.removeValue(forKey: id) ?? [] {
            waiter.continuation.resume(returning: sendResult)
        }
    }
}
