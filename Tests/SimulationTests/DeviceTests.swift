import ChildProcess
import Foundation
import Testing

/// Runs every feature with live clients, over connections that delay, reorder, duplicate and cut.
/// Each seed needs its own process, because it controls the process's time and only thread.
@Suite(.serialized, .timeLimit(.minutes(3))) struct DeviceTests {
    private func simulate(_ seed: UInt64, hours: Int) async throws -> ChildProcess.Output {
        let folder = try #require(Bundle.main.executableURL?.deletingLastPathComponent())
        return try await ChildProcess.run(
            folder.appending(path: "simulate").path,
            ["--devices", "--seed", "\(seed)", "--hours", "\(hours)"])
    }

    @Test(arguments: [2, 4, 5, 12] as [UInt64])
    func screensAreTrueAndPressesTakeEffectOnce(seed: UInt64) async throws {
        let output = try await simulate(seed, hours: 1)
        #expect(output.status == 0, "\(output.text)")
    }

    @Test func equalSeedsGiveEqualRuns() async throws {
        let (one, other) = (try await simulate(9, hours: 1), try await simulate(9, hours: 1))
        #expect(summary(of: one) != nil && summary(of: one) == summary(of: other))
        #expect(one.text.contains("of other threads") == false)
    }

    /// The line with the hash of all events.
    private func summary(of output: ChildProcess.Output) -> Substring? {
        output.text.split(separator: "\n").first { $0.hasPrefix("Seed") }
    }
}
