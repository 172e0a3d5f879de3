import Foundation

struct Workbench {
    let program: String
    let folder: URL
    let seconds: Double
    let largePopulation: Int

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Returns the time of one 4 KiB write with fsync in seconds, as the median of 200.
    func flushTime() throws -> Double {
        let descriptor = open(path("fsync"), O_WRONLY | O_CREAT, 0o600)
        defer { close(descriptor) }
        let block = [UInt8](repeating: 7, count: 4096)
        return (0..<200).map { _ in
            let start = ContinuousClock.now
            _ = write(descriptor, block, block.count)
            fsync(descriptor)
            return (ContinuousClock.now - start) / .seconds(1)
        }.median
    }

    /// Runs a command of the program to its end. Returns its output, and the time in seconds.
    func runProgram(_ arguments: [String]) throws -> (output: Data, seconds: Double) {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = pipe
        let start = ContinuousClock.now
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchError("\(arguments.joined(separator: " ")) failed")
        }
        return (output, (ContinuousClock.now - start) / .seconds(1))
    }

    func start(database: String, _ options: String...) throws -> MeasuredServer {
        try MeasuredServer(program: program, database: database, options: options)
    }
}

final class MeasuredServer {
    let port: Int
    private let process = Process()
    /// The server's key. Given, because a server doesn't create a key for a database that already
    /// contains people.
    private static let key = Data(repeating: 7, count: 32).base64EncodedString()

    init(program: String, database: String, options: [String]) throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments =
            [
                "serve", "--port", "0", "--public-url", "http://localhost", "--database",
                database, "--sms", "none", "--sign-up", "open", "--log-level", "error",
                "--requests-per-user", "0", "--requests-per-address", "0", "--check-ins-per-hour",
                "0",
            ] + options
        process.standardOutput = output
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["LIFESIGNAL_KEY": Self.key]) { $1 }
        try process.run()
        var text = ""
        var found: Int?
        while found == nil {
            let bytes = output.fileHandleForReading.availableData
            guard !bytes.isEmpty else { throw BenchError("the server did not start: \(text)") }
            text += String(decoding: bytes, as: UTF8.self)
            if let line = text.split(separator: "\n").first(where: {
                $0.hasPrefix("LifeSignal is ready at ")
            }) {
                found = line.split(separator: ":").last.flatMap { Int($0) }
            }
        }
        port = found ?? 0
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    /// The processor time so far, in seconds.
    var processorTime: Double {
        let path = "/proc/\(process.processIdentifier)/stat"
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        // The program's name may contain spaces, but the fields after it don't.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12])
        else { return .nan }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// What the kernel has counted for the disk so far, in bytes.
    var writtenBytes: Double { Double(field("write_bytes:", of: "io")) }

    /// The current and peak resident memory, in bytes.
    var memory: (now: Int, peak: Int) {
        (field("VmRSS:", of: "status") * 1024, field("VmHWM:", of: "status") * 1024)
    }

    /// Returns the number behind a name in a file of the process; 0 without one.
    private func field(_ name: String, of file: String) -> Int {
        let path = "/proc/\(process.processIdentifier)/\(file)"
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }
}

struct BenchError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
