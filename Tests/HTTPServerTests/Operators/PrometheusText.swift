import Foundation
import Testing

/// A strict parser of Prometheus's text format: each line must be a comment or a sample.
struct PrometheusText {
    struct Sample {
        var name: String
        var labels: [String: String]
        var value: Double
    }

    var samples: [Sample] = []
    var types: [String: String] = [:]
    var helps: Set<String> = []

    init(_ text: String) throws {
        try #require(text.hasSuffix("\n"))
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# TYPE ") {
                let words = line.split(separator: " ")
                try #require(words.count == 4 && types[String(words[2])] == nil, "\(line)")
                types[String(words[2])] = String(words[3])
            } else if line.hasPrefix("# HELP ") {
                let words = line.split(separator: " ", maxSplits: 3)
                try #require(words.count == 4)
                helps.insert(String(words[2]))
            } else {
                samples.append(try Self.sample(line))
            }
        }
    }

    func values(_ name: String) -> [Sample] { samples.filter { $0.name == name } }

    private static func sample(_ line: Substring) throws -> Sample {
        let pattern = #/([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-z_]+="[^"\\\n]*",?)*)\})? (\S+)/#
        let match = try #require(try pattern.wholeMatch(in: line), "\(line)")
        var labels: [String: String] = [:]
        for label in (match.output.2 ?? "").matches(of: #/([a-z_]+)="([^"]*)"/#) {
            try #require(labels[String(label.output.1)] == nil, "\(line)")
            labels[String(label.output.1)] = String(label.output.2)
        }
        return Sample(
            name: String(match.output.1), labels: labels,
            value: try #require(Double(match.output.3.replacing("+Inf", with: "inf"))))
    }
}
