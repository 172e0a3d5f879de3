import Cryptography
import Domain
import Foundation
import HTTPClient
import Hummingbird
import Logging
import Synchronization
import WebText

/// Fake providers on this machine: a push service and Twilio. The push service rejects every
/// message. Twilio delays text messages when the demonstration asks for that.
final class DemoProviders: Sendable {
    enum Event: Sendable {
        case push
        /// `isTaken` is false while text messages are delayed.
        case text(to: String, body: String, isTaken: Bool)
        case call(Call)
    }

    struct Call: Sendable {
        var number: String
        /// The URL where Twilio asks what to say.
        var script: URL
        var report: URL
    }

    static let publicURL = "https://lifesignal.example"
    private static let account = "demo"
    private static let bodyLimit = 64 * 1024

    let events: AsyncStream<Event>
    private let sink: AsyncStream<Event>.Continuation
    private let token = RandomBytes.system.token().text
    private let isLate = Mutex(false)
    private let client = HTTPClient(allowsPrivateAddresses: true)

    init() { (events, sink) = AsyncStream.makeStream(of: Event.self) }

    func environment(_ base: URL) -> [String: String] {
        [
            "LIFESIGNAL_TWILIO_ACCOUNT_SID": Self.account,
            "LIFESIGNAL_TWILIO_AUTH_TOKEN": token,
            "LIFESIGNAL_TWILIO_FROM": "+15005550006",
            "LIFESIGNAL_TWILIO_BASE_URL": base.absoluteString,
        ]
    }

    func delayTexts(_ isLate: Bool) { self.isLate.withLock { $0 = isLate } }

    /// Serves until the task is cancelled.
    /// - Parameter onRunning: receives the port.
    func run(onRunning: @escaping @Sendable (Int) -> Void) async throws {
        let router = Router()
        router.post("push") { [sink] _, _ in
            sink.yield(.push)
            return HTTPResponse.Status.badRequest
        }
        let account: RouterPath = "2010-04-01/Accounts/\(Self.account)"
        router.post("\(account)/Messages.json") { [self] request, _ in
            let fields = try await Self.fields(of: request)
            let isTaken = !isLate.withLock { $0 }
            sink.yield(
                .text(to: fields["To"] ?? "", body: fields["Body"] ?? "", isTaken: isTaken))
            return isTaken ? Self.taken : Response(status: .serviceUnavailable)
        }
        router.post("\(account)/Calls.json") { [sink] request, _ in
            let fields = try await Self.fields(of: request)
            guard let script = fields["Url"].flatMap({ URL(string: $0) }),
                let report = fields["StatusCallback"].flatMap({ URL(string: $0) })
            else { return Response(status: .badRequest) }
            sink.yield(.call(Call(number: fields["To"] ?? "", script: script, report: report)))
            return Self.taken
        }
        var logger = Logger(label: "lifesignal.demo")
        logger.logLevel = .critical
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { onRunning($0.localAddress?.port ?? 0) }, logger: logger)
        try await application.run()
    }

    private static let taken = Response(
        status: .created, headers: [.contentType: "application/json"],
        body: .init(byteBuffer: ByteBuffer(string: #"{"sid":"1"}"#)))

    private static func fields(of request: Request) async throws -> [String: String] {
        let body = try await request.body.collect(upTo: bodyLimit)
        return FormFields.values(FormFields.decode(Data(body.readableBytesView)))
    }

    // MARK: Answering calls

    /// Answers the call. Returns the script that the phone speaks.
    func listen(to call: Call, at server: URL) async throws -> String {
        try await ask(call.script, [("CallStatus", "in-progress")], at: server)
    }

    func press(_ key: String, after script: String, at server: URL) async throws -> String {
        let parts = script.split(separator: #"action=""#, maxSplits: 1)
        guard let address = parts.last?.prefix(while: { $0 != "\"" }), parts.count == 2,
            let url = URL(string: String(address).replacing("&amp;", with: "&"))
        else { throw Failure("the call asks for no key: \(script)") }
        return try await ask(url, [("Digits", key)], at: server)
    }

    func reportBusy(_ call: Call, at server: URL) async throws {
        _ = try await ask(call.report, [("CallStatus", "busy")], at: server)
    }

    static func words(_ script: String) -> String {
        script.replacing(/<[^>]*>/, with: " ").replacing("&#39;", with: "'")
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Sends a request to `server`, with Twilio's signature. The signature covers the public URL,
    /// because Twilio knows only that URL.
    private func ask(
        _ url: URL, _ fields: [(name: String, value: String)], at server: URL
    ) async throws -> String {
        let text = url.absoluteString
        let signed = text + fields.map { $0.name + $0.value }.joined()
        let signature = Digest.hmacSHA1(Data(signed.utf8), key: Data(token.utf8))
        guard text.hasPrefix(Self.publicURL),
            let local = URL(
                string: String(text.dropFirst(Self.publicURL.count)), relativeTo: server)
        else { throw Failure("this is not an address of the server: \(text)") }
        let request = OutgoingRequest(
            url: local.absoluteURL,
            headers: [
                ("Content-Type", "application/x-www-form-urlencoded"),
                ("X-Twilio-Signature", signature.base64EncodedString()),
            ], body: Data(fields.map { "\($0.name)=\($0.value)" }.joined(separator: "&").utf8))
        let response = try await client.send(request)
        guard response.status == 200 else {
            throw Failure("the server answered a call with \(response.status)")
        }
        return String(decoding: response.body, as: UTF8.self)
    }
}
