import Domain
import Foundation
import Testing

@testable import SafetyNetwork

@Suite struct ParallelCodeTests {
    /// Requests codes for 40 numbers concurrently. Returns how many were sent.
    private func sent(
        _ server: TestServer, from address: @escaping @Sendable (Int) -> String
    ) async -> Int {
        await withTaskGroup(of: Bool.self) { group in
            for index in 0..<40 {
                group.addTask {
                    let refusal = await refusal {
                        try await server.network.codes.requestCode(
                            for: PhoneNumber("+4930\(2_000_000 + index)"), from: address(index))
                    }
                    return refusal == nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }

    @Test func theAddressesOfOneNetworkShareALimit() async throws {
        let server = try TestServer(options: { $0.codesPerAddress = 5 })
        #expect(await sent(server) { "2001:db8:1:2::\($0)" } == 5)
    }

    @Test func oneCustomersNetworksShareALimit() async throws {
        let one = try TestServer(options: { $0.codesPerAddress = 2 })
        var alone = 0
        for index in 0..<40 {
            let refusal = await refusal {
                try await one.network.codes.requestCode(
                    for: PhoneNumber("+4930\(3_000_000 + index)"), from: "2001:db8:7:\(index)::1")
            }
            if refusal == nil { alone += 1 }
        }
        #expect((1..<40).contains(alone))
        let server = try TestServer(options: { $0.codesPerAddress = 2 })
        #expect(await sent(server) { "2001:db8:7:\($0)::1" } == alone)
    }

    @Test func allNewNumbersShareALimit() async throws {
        let server = try TestServer(options: { $0.codesToNewNumbers = 5 })
        #expect(await sent(server) { "192.0.2.\($0)" } == 40)
        let codes = try (0..<40).map {
            try server.environment.codes(on: PhoneNumber("+4930\(2_000_000 + $0)")).count
        }
        #expect(codes.reduce(0, +) == 5)
    }
}
