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
                    // Only a pending ping has to be cleared.
                    guard let ping = await account.pendingPing(from: account.userID, to: id) else {
                        return
                    }
                    _ = try await account.submit(.clearPing(ping))
                }
            },
            respondToPing: { id in
                try await controller.with(.action(.respondToPing)) { account in
                    guard let ping = await account.pendingPing(from: id, to: account.userID) else {
                        // Another device of this person, or a check-in, may have answered.
                        guard await account.newestPing(from: id)?.state == .answered else {
                            throw UserFacingError.pingIsGone
                        }
                        return
                    }
                    _ = try await account.submit(.respondToPing(ping))
                }
            },
            answer: { id in
                // The retries may take long, and the person has answered now.
                let request = RespondToPingRequest(pressedAt: controller.environment.now())
                return try await controller.with(.action(.respondToPing)) { account in
                    try await account.perform(
                        { try await $0.call(Routes.respondToPing, request, id: id.uuid) },
                        { .reply(.ping($0)) })
                }
            },
            // Answers only the pings that are shown now. A ping that arrives after the tap stays
            // pending.
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

extension Account {
    fileprivate func pendingPing(from responder: UserID, to dependent: UserID) -> PingID? {
        shown.pings.first {
            $0.state == .pending && $0.responderID == responder && $0.dependentID == dependent
        }?.id
    }

    fileprivate func newestPing(from responder: UserID) -> PingRecord? {
        shown.pings.first { $0.responderID == responder && $0.dependentID == userID }
    }

    fileprivate func pendingPings() -> [PingID] {
        shown.pings.filter { $0.state == .pending && $0.dependentID == userID }.map(\.id)
    }
}
