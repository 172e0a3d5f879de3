import API
import ClientsLive
import Domain
import Features
import TestApp

/// The time from an offline launch until the last known data is shown: 200 contacts and 1,000
/// notifications.
enum StartBenchmark {
    private static let (contacts, notifications, rounds) = (200, 1_000, 30)

    static func run(_ table: inout Table) async throws {
        let (app, folder, tokens) = (try TestApp(), try TemporaryFolder(), MemoryTokenStore())
        let phone = TestUser(
            "Ana's phone", in: app, tokens: tokens, storage: .device(folder: folder.url))
        try await phone.signIn("+15550100001", in: app)
        try await phone.onboard("Ana")
        let code = try await phone.showCode().qrCodeID
        try await befriend(code, in: app)
        try await phone.shows("everything") { isComplete($0) ? true : nil }
        // The local copy is written a short time after a change.
        var isCopied = false
        for _ in 0..<20 where !isCopied {
            await phone.clients.stop()
            isCopied = try await start(app, folder, tokens) != nil
        }
        var times: [Duration] = []
        for _ in 0..<rounds {
            if let time = try await start(app, folder, tokens) { times.append(time) }
        }
        guard times.count == rounds else { throw NotPossible() }
        table.add(
            "start from the local copy: \(contacts) contacts, 1,000 notifications (\(rounds))",
            """
            p50 \(times.percentile(0.5).inMilliseconds), p99 \
            \(times.percentile(0.99).inMilliseconds)
            """,
            goal: "p50 ≤ 50 ms",
            isReached: times.percentile(0.5) <= .milliseconds(50))
    }

    private static func start(_ app: TestApp, _ folder: TemporaryFolder, _ tokens: MemoryTokenStore)
        async throws -> Duration?
    {
        let begin = ContinuousClock.now
        let phone = TestUser(
            "Ana's phone", in: app, over: Cable(app.transport, isPlugged: false), tokens: tokens,
            storage: .device(folder: folder.url))
        await phone.send(.appLaunched)
        try await phone.shows("the tabs", that: { $0.tabs != nil })
        await phone.appear()
        let isThere = try? await phone.shows("the copy", within: .seconds(2)) {
            isComplete($0) ? true : nil
        }
        let end = ContinuousClock.now
        await phone.clients.stop()
        return isThere == true ? end - begin : nil
    }

    private static func isComplete(_ state: AppFeature.State) -> Bool {
        state.tabs?.responders.contacts.contacts.count == contacts
            && state.tabs?.notifications.notifications.count == notifications
            && state.tabs?.home.checkIn.nextCheckInTime != nil
    }

    /// Each contact causes five notifications: one for the addition, and four for changes of roles.
    private static func befriend(_ code: String, in app: TestApp) async throws {
        for number in 0..<contacts {
            let person = Connection(transport: app.transport, store: MemoryTokenStore())
            let phone = "+1555\(2_000_000 + number)"
            try await person.call(Routes.sendCode, SendCodeRequest(phoneNumber: phone))
            _ = try await person.signIn(
                SignInRequest(
                    phoneNumber: phone, code: try app.code(for: phone), deviceName: "Phone"))
            _ = try await person.call(
                Routes.updateProfile, UpdateProfileRequest(name: "Person \(number)"))
            let ana = try await person.call(
                Routes.addContact,
                AddContactRequest(code: code, isResponder: false, isDependent: true))
            for isResponder in [true, false, true, false] {
                _ = try await person.call(
                    Routes.changeRoles,
                    try ContactRoles(isResponder: isResponder, isDependent: true), id: ana.id.uuid)
            }
        }
    }
}
