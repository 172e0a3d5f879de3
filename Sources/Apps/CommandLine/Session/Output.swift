import Clients
import Domain
import Foundation

/// The output of a command, for a person or for a program.
struct Report: Sendable {
    var lines: [String]
    var json: any Encodable & Sendable
    var isWaiting = false
    /// Whether the output may come from the local copy.
    var showsCopy = false
    /// Whether a program reads the lines. If so, remarks go to standard error.
    var isTable = false
    /// Runs after the report was written. Doesn't run if the output is closed.
    var whenShown: (@Sendable () -> Void)?
    /// What the person can do if the report could not be written.
    var ifLost = ""
}

/// Prints a command's output: answers to standard output, failures to standard error.
struct Output: Sendable {
    var isJSON: Bool

    /// Returns false if the output is closed.
    @discardableResult
    static func write(_ text: String, to handle: FileHandle = .standardOutput) -> Bool {
        (try? handle.write(contentsOf: Data(text.utf8))) != nil
    }

    /// Returns false if the report could not be written.
    func show(_ report: Report, _ circumstances: Circumstances, words: TimeWords) -> Bool {
        let isShown: Bool
        if isJSON {
            isShown = Self.write(
                Self.json(WithCircumstances(body: report.json, circumstances: circumstances)) + "\n"
            )
        } else {
            let (head, tail) = (
                Self.head(of: circumstances, words), Self.tail(of: report, circumstances, words)
            )
            let lines = report.isTable ? report.lines : head + report.lines + tail
            isShown = Self.write(lines.map { $0 + "\n" }.joined())
            if report.isTable {
                Self.write((head + tail).map { $0 + "\n" }.joined(), to: .standardError)
            }
            for refused in circumstances.refused {
                Self.write(
                    "Refused earlier: \(refused.error.title). \(refused.error.message)\n",
                    to: .standardError)
            }
        }
        if isShown { report.whenShown?() }
        return isShown
    }

    static func head(of circumstances: Circumstances, _ words: TimeWords) -> [String] {
        let unsent = circumstances.unsentAlert.map {
            ConnectivityText.unsent(UnsentAlert(raisedAt: $0.raisedAt, sendsAt: $0.sendsAt))
        }
        func lines(_ actions: [Circumstances.Waiting], _ start: String) -> [String] {
            actions.compactMap { action in
                WaitingAction.Kind(rawValue: action.kind).map {
                    "\(start): \($0.words.own) of \(words.moment(action.createdAt))."
                }
            }
        }
        return (unsent ?? []) + lines(circumstances.sent, "Sent now")
            + lines(circumstances.takenBack, "Taken back")
    }

    static func tail(of report: Report, _ circumstances: Circumstances, _ words: TimeWords)
        -> [String]
    {
        guard report.showsCopy, circumstances.isOnline == false else { return [] }
        let isRateLimited = circumstances.isRateLimited == true
        return [age(of: circumstances.asOf, isRateLimited: isRateLimited, words)]
    }

    /// - Parameter isRateLimited: whether the server has answered, and asked to wait.
    static func age(of date: Date?, isRateLimited: Bool, _ words: TimeWords) -> String {
        let reason = "LifeSignal \(isRateLimited ? "asks you to wait" : "can't be reached")"
        guard let date else { return "\(reason)." }
        return "\(reason): as of \(words.past(date))."
    }

    func fail(_ failure: CommandFailure) {
        Self.write(
            (isJSON ? Self.json(FailureView(failure)) : Self.text(failure)) + "\n",
            to: .standardError)
    }

    static func text(_ failure: CommandFailure) -> String {
        let error = failure.error
        return [
            ["Error: \(error.title).", error.message].joined(separator: " "),
            error.recoverySuggestion,
        ].filter { !$0.isEmpty }.joined(separator: "\n")
    }

    static func json(_ value: any Encodable) -> String {
        (try? WireJSON.encoder().encode(value))
            .map { Plain.json(String(decoding: $0, as: UTF8.self)) } ?? "{}"
    }

    private struct WithCircumstances: Encodable {
        var body: any Encodable & Sendable
        var circumstances: Circumstances

        func encode(to encoder: any Encoder) throws {
            try circumstances.encode(to: encoder)
            try body.encode(to: encoder)
        }
    }
}

struct FailureView: Encodable {
    struct Words: Encodable {
        var code: String
        var title: String
        var message: String
        var recoverySuggestion: String
        var exitCode: Int32
    }

    var error: Words

    init(_ failure: CommandFailure) {
        let words = failure.error
        error = Words(
            code: words.code, title: words.title, message: words.message,
            recoverySuggestion: words.recoverySuggestion, exitCode: failure.status.rawValue)
    }
}
