import Foundation
import Synchronization

/// Keeps the text of a provider's refusal for an administrator's test. Other tries drop it, because
/// it may repeat the message.
public enum ProviderAnswer {
    final class Recorder: Sendable { let line = Mutex("") }

    @TaskLocal static var recorder: Recorder?

    /// In characters.
    private static let longest = 200
    /// In bytes. Bodies may be large.
    private static let longestRead = 2_000

    /// Makes a try, and returns its result and the provider's last refusal in one line, which is
    /// empty without one.
    public static func recorded(
        _ attempt: @Sendable () async -> DeliveryResult
    ) async -> (result: DeliveryResult, words: String) {
        let own = Recorder()
        let result = await Self.$recorder.withValue(own) { await attempt() }
        return (result, own.line.withLock { $0 })
    }

    static func note(_ body: Data, after result: DeliveryResult) {
        guard result.reason != nil else { return }
        note(String(decoding: body.prefix(longestRead), as: UTF8.self))
    }

    static func note(_ answer: String) {
        guard let recorder else { return }
        let words = answer.unicodeScalars.split(whereSeparator: isSeparator).map { String($0) }
        let line = String(words.joined(separator: " ").prefix(longest))
        recorder.line.withLock { $0 = line }
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: true
        default: false
        }
    }
}
