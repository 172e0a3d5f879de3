import ArgumentParser
import Devices
import Foundation

/// A run with devices has the main thread for itself; everything else begins as usual.
@main
enum Main {
    static func main() {
        if Simulate.isChild { return Simulate.runOne() }
        Task {
            await Simulate.main()
            Foundation.exit(EXIT_SUCCESS)
        }
        dispatchMain()
    }
}

/// `simulate --devices`: each seed in a process of its own, because a run has every task of its
/// process.
extension Simulate {
    private static let childKey = "LIFESIGNAL_DEVICES_RUN"
    static var isChild: Bool { ProcessInfo.processInfo.environment[childKey] != nil }

    func runDevices() throws {
        guard !list else {
            for invariant in DeviceInvariant.all { print("\(invariant.name): \(invariant.rule)") }
            return
        }
        let began = ContinuousClock.now
        var (next, running, failed) = (seed ?? 1, [Process](), false)
        let first = next
        func isOver() -> Bool {
            guard let seconds else {
                return next >= first
                    + UInt64(max(1, min(steps, 1_000_000) == 1_000_000 ? 1 : steps))
            }
            return ContinuousClock.now - began >= .seconds(seconds)
        }
        while !failed, !isOver() || !running.isEmpty {
            while running.count < max(1, jobs), !isOver() {
                running.append(try child(next))
                next += 1
            }
            let one = running.removeFirst()
            one.waitUntilExit()
            failed = failed || one.terminationStatus != 0
        }
        for one in running { one.waitUntilExit() }
        let passed = (ContinuousClock.now - began) / .seconds(1)
        print("\(next - first) seeds with devices in \(String(format: "%.1f", passed)) s.")
        if failed { throw ExitCode.failure }
    }

    private func child(_ seed: UInt64) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        var arguments = [
            "--devices", "--seed", "\(seed)", "--hours", "\(hours)", "--people", "\(people)",
        ]
        if tell { arguments.append("--tell") }
        for name in skip { arguments += ["--skip", name] }
        for name in without { arguments += ["--without", name] }
        process.arguments = arguments
        var environment = ProcessInfo.processInfo.environment
        environment[Self.childKey] = "1"
        // Else the order of sets and dictionaries is another in each process.
        environment["SWIFT_DETERMINISTIC_HASHING"] = "1"
        process.environment = environment
        try process.run()
        return process
    }

    /// Never returns.
    static func runOne() {
        guard let command = try? Simulate.parse() else { Foundation.exit(EXIT_FAILURE) }
        var options = DeviceRun.Options(seed: command.seed ?? 1)
        if command.hours != 720 { options.hours = command.hours }
        if command.people != 20 { options.people = command.people }
        options.tells = command.tell
        (options.skipped, options.without) = (Set(command.skip), Set(command.without))
        do {
            let result = try DeviceRun(options).run()
            print(result.summary)
            Foundation.exit(result.violations.isEmpty ? EXIT_SUCCESS : EXIT_FAILURE)
        } catch {
            print("Seed \(options.seed): \(error)")
            Foundation.exit(EXIT_FAILURE)
        }
    }
}

extension DeviceRun.Result {
    var summary: String {
        let hours = String(format: "%.1f", simulated / .seconds(3_600))
        let words =
            """
            Seed \(seed): \(acts) acts, \(looks) looks, \(hours) h, hash \(String(hash, radix: 16))
            """
            + (foreignJobs > 0 ? ", \(foreignJobs) jobs of other threads" : "")
        guard !violations.isEmpty else { return words }
        return ([words] + violations.map { "  BROKEN " + $0 } + story.map { "  " + $0 })
            .joined(separator: "\n")
    }
}
