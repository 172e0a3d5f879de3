import API
import Clients
import Domain

extension PingClient {
    static func live(_ controller: SessionController) -> PingClient {
        PingClient(
            pingDependent: { id in
                try await controller.submit(
                    .ping(PingID(controller.environment.makeID()), dependent: id), \.ping)
            },
            clearPing: { id in
                try await controller.with(.action(.clearPing)) { account in
                    // One that is not pending any more needs no clearing.
                    guard let ping = await account.pendingPing(from: account.userID, to: id) else {
                        return
                    }
                    _ = try await account.submit(.clearPing(ping))
                }
            },
            respondToPing: { id in
                try await controller.with(.action(.respondToPing)) { account in
                    guard let ping = await account.pendingPing(from: id, to: account.userID) else {
                        return
                    }
                    _ = try await account.submit(.respondToPing(ping))
                }
            },
            // Answers the pings shown now; one that arrives between the tap and its sending still
            // waits for an answer.
            respondToAllPings: {
                try await controller.with(.respondToAllPings) { account in
                    try await account.submitAll(
                        await account.pendingPings().map { .respondToPing($0) })
                }
            },
            history: { before in
                try await controller.with(.loadPings) { try await $0.pingHistory(before: before) }
            },
            pingsStream: { controller.stream(\.pings) }
        )
    }
}
