import ArgumentParser
import Devices
import Foundation

/// A run with devices occupies the main thread. All others start in the usual way.
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

/// `simulate --devices` runs each seed in its own process, because a run controls all tasks of its
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
        var (next, running, failed) = (seed ?? 1, [Child](), false)
        var (wanted, started, marks) = (seeds, 0, Set<Mark>())
        let count = steps == .max ? 1 : max(1, steps)
        /// Returns the next seed; nil when no more is to be played.
        func take() -> UInt64? {
            if !seeds.isEmpty { return wanted.isEmpty ? nil : wanted.removeFirst() }
            let isOver =
                seconds.map { ContinuousClock.now - began >= .seconds($0) } ?? (started >= count)
            guard !isOver else { return nil }
            defer { next += 1 }
            return next
        }
        while !failed {
            while running.count < max(1, jobs), let seed = take() {
                running.append(try child(seed))
                started += 1
            }
            guard !running.isEmpty else { break }
            failed = running.removeFirst().hasFailed(&marks)
        }
        for one in running { _ = one.hasFailed(&marks) }
        let passed = (ContinuousClock.now - began) / .seconds(1)
        print("\(started) seeds with devices in \(String(format: "%.1f", passed)) s.")
        if failed { throw ExitCode.failure }
        let missing = Set(Mark.allCases).subtracting(Mark.unreached).subtracting(marks)
            .map(\.rawValue).sorted()
        guard !seeds.isEmpty, without.isEmpty, !missing.isEmpty else { return }
        print("Never happened: \(missing.joined(separator: ", ")).")
        throw ExitCode.failure
    }

    private static let marksBegin = "Marks: "

    /// The process that runs one seed. The parent prints its output.
    private struct Child {
        var process: Process
        var output: Pipe

        /// Waits for the end of the process. Returns whether it failed.
        func hasFailed(_ marks: inout Set<Mark>) -> Bool {
            let text = String(
                decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            for line in text.split(separator: "\n") {
                guard line.hasPrefix(Simulate.marksBegin) else {
                    print(line)
                    continue
                }
                let names = line.dropFirst(Simulate.marksBegin.count).split(separator: " ")
                marks.formUnion(names.compactMap { Mark(rawValue: String($0)) })
            }
            fflush(nil)
            return process.terminationStatus != 0
        }
    }

    private func child(_ seed: UInt64) throws -> Child {
        let (process, output) = (Process(), Pipe())
        process.standardOutput = output
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        var arguments = [
            "--devices", "--seed", "\(seed)", "--hours", "\(hours)", "--people", "\(people)",
        ]
        if tell { arguments.append("--tell") }
        let others = DeviceInvariant.all.map(\.name).filter { only != nil && $0 != only }
        for name in skip + others { arguments += ["--skip", name] }
        for name in without { arguments += ["--without", name] }
        process.arguments = arguments
        var environment = ProcessInfo.processInfo.environment
        environment[Self.childKey] = "1"
        // Without this setting, sets and dictionaries have a different order in each process, so
        // equal seeds would give different runs.
        environment["SWIFT_DETERMINISTIC_HASHING"] = "1"
        process.environment = environment
        try process.run()
        return Child(process: process, output: output)
    }

    /// Runs one seed and ends the process.
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
            print(marksBegin + result.marks.map(\.rawValue).sorted().joined(separator: " "))
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
        let broken = violations.flatMap { violation in
            let rule = DeviceInvariant.all.first { $0.name == violation.invariant }?.rule
            return [
                "Seed \(seed) breaks \"\(violation.invariant)\": \(rule ?? "This may not fail.")",
                violation.words,
            ]
        }
        return ([words] + broken + story.map { "  " + $0 }).joined(separator: "\n")
    }
}
