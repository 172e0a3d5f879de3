import Logging
import Synchronization

final class LogBook: Sendable {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }
    var text: String { lines.joined(separator: "\n") }

    var logger: Logger { Logger(label: "test") { _ in Handler(book: self) } }

    private func keep(_ line: String) { kept.withLock { $0.append(line) } }

    private struct Handler: LogHandler {
        let book: LogBook
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        init(book: LogBook) { self.book = book }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
                .map { "\($0.key)=\($0.value)" }
            book.keep("\(event.level) \(event.message) \(fields.joined(separator: " "))")
        }
    }
}
