import API
import Domain
import Foundation
import Testing

@testable import ClientsLive

@Suite struct TimeZoneTests {
    private func connection(_ transport: FakeTransport, zone: String?) -> Connection {
        var options = Connection.Options()
        options.timeZone = { zone }
        return Connection(
            transport: transport, store: MemoryTokenStore(.stage(1)), random: { 0 },
            options: options)
    }

    @Test(arguments: ["Europe/Berlin", nil]) func signedInRequestsSendTheTimeZone(zone: String?)
        async throws
    {
        let transport = FakeTransport { _, _ in try .json(List<ContactData>(items: [])) }
        try await connection(transport, zone: zone).call(Routes.contacts)
        #expect(transport.requests.map { $0.headers[Endpoint.timeZone] } == [zone])
    }

    @Test func signedOutRequestsOmitTheTimeZone() async throws {
        let transport = FakeTransport { _, _ in try .problem(.rateLimited) }
        _ = try? await connection(transport, zone: "Europe/Berlin").sendCode(to: "+4915112345678")
        #expect(!transport.requests.isEmpty)
        #expect(transport.requests.allSatisfy { $0.headers[Endpoint.timeZone] == nil })
    }

    @Test func liveTimeZoneIsAValidName() {
        if let name = ClientEnvironment.live.timeZone() { #expect(ClockZone(name) != nil) }
    }
}
