import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// The last call counts the responders who can get a message.
@Suite struct LastCallReachTests {
    @Test(arguments: [
        (0, "Your 2 responders are told at 12:00 UTC unless you check in."),
        (1, "1 of your 2 responders is told at 12:00 UTC unless you check in."),
        (2, "Your deadline is 12:00 UTC. No message reaches your 2 responders."),
    ])
    func messageCountsRespondersWithAChannel(stopped: Int, body: String) async throws {
        let server = try TestServer(options: { $0.isSMSAvailable = true })
        let ada = try await server.armed("Ada")
        for (index, name) in ["Ben", "Cleo"].enumerated() {
            let responder = try await server.person(name)
            try await server.connect(responder, watchesOver: ada)
            guard index < stopped else { continue }
            try await server.network.textAnswers.stopTexts(to: responder.number)
        }
        let settings = CheckInSettings(
            intervalSeconds: 86_400, remindTwoHoursBefore: false, remindThirtyMinutesBefore: false,
            lastCall: .standard)
        _ = try await server.network.checkIns.updateSettings(settings, of: ada.caller)
        server.clock.set(noon.adding(.hours(24) - .minutes(10)))
        try await server.deadlineMonitor.handleDueDeadlines()
        let news = try await server.newsItems(of: ada)
        #expect(news.first { $0.title == "Last call: check in now" }?.body == body)
    }
}
