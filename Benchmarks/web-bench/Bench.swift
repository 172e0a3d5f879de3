import Foundation
import TestApp

/// Measures the web app's sessions in a release build, and prints one table: `make bench`.
/// Benchmarks/Browser measures the web app in a real browser.
@main
enum Bench {
    static func main() async throws {
        raiseFileLimit()
        var table = Table()
        try await SessionBenchmark.run(&table)
        table.print()
        if table.hasMissed { exit(1) }
    }

    private static func raiseFileLimit() {
        #if canImport(Glibc)
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let files = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(files, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(files, &limit)
    }
}

struct Unexpected: Error {
    var what: String
    init(_ what: String) { self.what = what }
}
