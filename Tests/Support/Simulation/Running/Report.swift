extension RunResult {
    public var summary: String {
        let tenths = Int((days * 10).rounded())
        return
            "seed \(seed): \(steps.count) steps, \(tenths / 10).\(tenths % 10) simulated days, "
            + "\(counts.alerts) alerts, \(counts.heard) messages, "
            + "\(counts.starts) starts, \(counts.restores) restores, "
            + "hash \(String(hash, radix: 16))"
    }

    /// The steps of a failure, as text and as Swift code for a test.
    public var failureText: String {
        guard let violation else { return "" }
        let rule = Invariant.all.first { $0.name == violation.invariant }?.rule ?? ""
        let words = steps.map { "  \($0)" }.joined(separator: "\n")
        let code = steps.map { "    \($0.code)" }.joined(separator: "\n")
        return """
            Seed \(seed) breaks "\(violation.invariant)": \(rule)
            \(violation)
            \(steps.count) steps:
            \(words)
            As a list for a test, until \(violation.at + 1):
            \(code)
            """
    }
}
