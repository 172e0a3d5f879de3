import Clients
import Cryptography
import Domain
import Foundation

/// The second part of the demonstration, with Cleo. Her browser rejects push messages and her text
/// messages are delayed, so the escalation continues until phones ring (Docs/ladder.md).
struct LadderStory: Sendable {
    /// Ofcom reserves this number for fiction. Its sign-in code comes by SMS.
    private static let number = "+447700900123"
    private static let patience: Duration = .seconds(60)

    let story: Story
    let providers: DemoProviders
    let base: URL

    func play(_ ana: DemoDevice, _ ben: DemoDevice) async throws {
        let cleo = try await signIn()
        try await meet(ana, cleo)
        try await cleo.subscribe(to: base.appendingPathComponent("push"))
        story.narrate("Cleo's browser registers for push messages")

        providers.delayTexts(true)
        let id = AlertID(.random())
        let alert = try story.confirmed(try await ana.alerts.raise(id))
        story.narrate("Ana raises an alert. Neither Ben nor Cleo looks")
        try await isRefused()
        try await textIsLate()
        let calls = try await ring()
        try await answer(calls, alert)
        try await tell(ana, id)
        _ = try story.confirmed(try await ana.alerts.end(id))
        let end = try await next("an SMS about the end") { event in
            if case .text(Self.number, let body, true) = event { body } else { nil }
        }
        story.narrate("Ana ends it, and Cleo is texted: \"\(end)\"")
        await cleo.stop()
    }

    private func signIn() async throws -> DemoDevice {
        let number = try PhoneNumber(Self.number, field: "number")
        let cleo = try await DemoDevice("Cleo", server: story.server, number: number) {
            try await next("the code") { event in
                guard case .text(Self.number, let body, true) = event else { return nil }
                return body.firstMatch(of: /\b\d{6}\b/).map { String($0.output) }
            }
        }
        _ = try story.confirmed(try await cleo.user.updateProfile("Cleo", ""))
        story.narrate("Cleo signs in; her code comes by SMS")
        return cleo
    }

    private func meet(_ ana: DemoDevice, _ cleo: DemoDevice) async throws {
        let code = try await ana.user.qrCode()
        _ = try await cleo.contacts.addContact(
            code.payload, ContactRoles(isResponder: false, isDependent: true))
        story.narrate("Cleo adds Ana: she is her responder too")
    }

    private func isRefused() async throws {
        _ = try await next("a push message") { if case .push = $0 { true } else { nil } }
        story.narrate("The push service of Cleo's browser refuses: an SMS follows at once")
    }

    private func textIsLate() async throws {
        _ = try await next("an SMS") { event in
            if case .text(Self.number, _, false) = event { true } else { nil }
        }
        story.narrate("The SMS provider is down; the message is tried again")
        providers.delayTexts(false)
        let body = try await next("the SMS after all", within: .seconds(60)) { event in
            if case .text(Self.number, let body, true) = event { body } else { nil }
        }
        story.narrate("The SMS is late: \"\(body)\". Cleo does not hear it")
        story.narrate("No one is on it: telephones ring 90 s after the alert")
    }

    private func ring() async throws -> [DemoProviders.Call] {
        var calls: [DemoProviders.Call] = []
        for _ in 0..<2 {
            calls.append(
                try await next("a call", within: .seconds(120)) { event in
                    if case .call(let call) = event { call } else { nil }
                })
        }
        story.narrate("Two telephones ring, Ben's and Cleo's")
        return calls
    }

    private func answer(_ calls: [DemoProviders.Call], _ alert: AlertRecord) async throws {
        guard let hers = calls.first(where: { $0.number == Self.number }),
            let his = calls.first(where: { $0.number != Self.number })
        else { throw Failure("one telephone rings twice") }
        try await providers.reportBusy(his, at: story.server)
        story.narrate("Ben's line is busy")
        let script = try await providers.listen(to: hers, at: story.server)
        story.narrate("Cleo hears: \"\(DemoProviders.words(script))\"")
        let thanks = try await providers.press("1", after: script, at: story.server)
        story.narrate("She presses 1: \"\(DemoProviders.words(thanks))\"")
    }

    /// Shows on Ana's device who is on it, and how each responder was notified.
    private func tell(_ ana: DemoDevice, _ id: AlertID) async throws {
        let record = try await ana.alerts.alert(id)
        try story.expect(record.acknowledgement?.name == "Cleo", "Cleo is on it")
        story.narrate(
            String(
                format: "Ana sees that Cleo is on it, %.0f s after the alert. The ledger says:",
                record.acknowledgement?.afterSeconds ?? 0))
        for entry in record.ledger where entry.channel != .stream {
            story.narrate("    \(entry.name): \(entry.words)")
        }
        let ledger = record.ledger
        try story.expect(
            ledger.contains { $0.channel == .webPush && $0.state == .failed }
                && ledger.contains { $0.name == "Cleo" && $0.channel == .sms && $0.attempts > 1 }
                && ledger.contains { $0.channel == .voice && $0.state == .acknowledged },
            "the ledger has each step")
    }

    private func next<Value: Sendable>(
        _ what: String, within patience: Duration = Self.patience,
        where find: @escaping @Sendable (DemoProviders.Event) -> Value?
    ) async throws -> Value {
        try await first(in: providers.events, within: patience, what, where: find).value
    }
}
