import Foundation
import Testing

/// Runs every feature with live clients, over connections that delay, reorder, duplicate and cut.
/// Each seed needs its own process, because it controls the process's time and only thread.
@Suite(.timeLimit(.minutes(3))) struct DeviceTests {
    private struct Output {
        var text: String
        var status: Int32
        /// The line with the hash of all events.
        var summary: Substring? { text.split(separator: "\n").first { $0.hasPrefix("Seed") } }
    }

    private func simulate(_ seed: UInt64, hours: Int) throws -> Output {
        let process = Process()
        process.executableURL = Bundle.main.executableURL?.deletingLastPathComponent()
            .appending(path: "simulate")
        process.arguments = ["--devices", "--seed", "\(seed)", "--hours", "\(hours)"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Output(
            text: String(decoding: bytes, as: UTF8.self), status: process.terminationStatus)
    }

    @Test(arguments: [2, 4, 5, 12] as [UInt64])
    func screensAreTrueAndPressesTakeEffectOnce(seed: UInt64) throws {
        let output = try simulate(seed, hours: 1)
        #expect(output.status == 0, "\(output.text)")
    }

    @Test func equalSeedsGiveEqualRuns() throws {
        let (one, other) = (try simulate(9, hours: 1), try simulate(9, hours: 1))
        #expect(one.summary != nil && one.summary == other.summary)
        #expect(one.text.contains("of other threads") == false)
    }
}
