import API
import Delivery
import Domain
import Foundation
import HTTPClient
import HTTPServer
import Persistence

extension Examination {
    /// Checks the port by listening on it for a moment, or the folder of the socket. The running
    /// server of the settings' database may have the port.
    static func port(_ settings: ServeSettings) async -> Examination {
        let subject = "port"
        if let path = settings.socketPath {
            do { try Serve.checkSocket(path) } catch {
                return .init(grade: .bad, subject: subject, finding: "\(error)")
            }
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            // A running server has made the socket.
            let isPossible =
                FileManager.default.fileExists(atPath: path)
                || FileManager.default.isWritableFile(atPath: folder)
            return isPossible
                ? .init(grade: .good, subject: subject, finding: settings.place)
                : .init(
                    grade: .bad, subject: subject, finding: "\(folder) can't be written",
                    mend: "Make the folder, and give it to \(NSUserName()).")
        }
        let examination = listening(
            at: settings.port, of: settings.host, subject, option: "--port")
        guard examination.isBad, await isServing(settings) else { return examination }
        return .init(
            grade: .good, subject: subject,
            finding: "the server of this database has \(settings.host):\(settings.port)")
    }

    /// Whether a server with these settings runs.
    private static func isServing(_ settings: ServeSettings) async -> Bool {
        // Only servers with a database file have the socket.
        if let socket = settings.adminSocket, await !answers(socket: socket) { return false }
        // The certificate isn't for the address of the machine itself.
        guard settings.tls == nil || settings.internalPort != nil else { return true }
        return await answersHealth(
            at: settings.internalPort ?? settings.port, of: settings.host)
    }

    private static func answers(socket: String) async -> Bool {
        guard let url = URL(string: "http://localhost\(AdminSocket.route)") else { return false }
        var request = OutgoingRequest(method: "GET", url: url, timeout: .seconds(2))
        request.socketPath = socket
        let client = HTTPClient(allowsPrivateAddresses: true, connections: 1)
        return (try? await client.send(request)) != nil
    }

    /// Returns the problems and warnings of the running server; nil if none answers at the socket.
    static func runningServer(_ settings: ServeSettings) async -> [Examination]? {
        guard let health = await reportedHealth(at: settings.adminSocket) else { return nil }
        let problems = health.problems.map {
            Examination(grade: .bad, subject: serverSubject, finding: $0)
        }
        let warnings = health.warnings.map {
            Examination(grade: .note, subject: serverSubject, finding: $0)
        }
        return problems + warnings
    }

    /// Checks whether the running server has lost a file of its database; nil if it hasn't, or if
    /// none answers at the socket.
    static func lostFile(at socket: String?) async -> Examination? {
        let problems = await reportedHealth(at: socket)?.problems ?? []
        guard let loss = problems.first(where: DatabaseError.isLoss) else { return nil }
        return .init(grade: .bad, subject: serverSubject, finding: loss)
    }

    private static let serverSubject = "running server"

    /// Returns nil if no server answers at the socket.
    private static func reportedHealth(at socket: String?) async -> Health? {
        guard let socket,
            let url = URL(string: "http://localhost\(AdminSocket.route)"),
            let body = try? WireJSON.encoder().encode(AdminRequest.health)
        else { return nil }
        var request = OutgoingRequest(
            url: url, headers: [("Content-Type", "application/json")], body: body,
            timeout: .seconds(10))
        request.socketPath = socket
        let client = HTTPClient(allowsPrivateAddresses: true, connections: 1)
        guard let answer = try? await client.send(request), answer.status == 200,
            let health = try? WireJSON.tolerantDecoder().decode(Health.self, from: answer.body)
        else { return nil }
        return health
    }

    /// Checks the port for health and metrics; nil without one. A server that answers there is
    /// taken for this one, because the settings may be those of a running server.
    static func internalPort(_ settings: ServeSettings) async -> Examination? {
        guard let port = settings.internalPort else { return nil }
        let subject = "internal port"
        let examination = listening(
            at: port, of: settings.host, subject, option: "--internal-port")
        guard examination.isBad, await answersHealth(at: port, of: settings.host) else {
            return examination
        }
        return .init(
            grade: .good, subject: subject,
            finding: "a LifeSignal server answers at \(settings.host):\(port)")
    }

    private static func answersHealth(at port: Int, of host: String) async -> Bool {
        let place = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        let path = Routes.live.endpoint.path
        guard let url = URL(string: "http://\(place)\(path)") else { return false }
        let request = OutgoingRequest(method: "GET", url: url, timeout: .seconds(2))
        let client = HTTPClient(allowsPrivateAddresses: true, connections: 1)
        guard let answer = try? await client.send(request), answer.status == 200 else {
            return false
        }
        return (try? WireJSON.decoder().decode(Health.self, from: answer.body)) != nil
    }

    private static func listening(
        at port: Int, of host: String, _ subject: String, option: String
    ) -> Examination {
        let place = "\(host):\(port)"
        do {
            if let trouble = try HostAddress.first(of: host, port: port, { tryListening(at: $0) }) {
                return .init(
                    grade: .bad, subject: subject, finding: "\(place) can't be used: \(trouble)",
                    mend: "Stop the program that has it, or give another \(option).")
            }
            return .init(grade: .good, subject: subject, finding: "\(place) is free")
        } catch {
            let reason = (error as? HostAddress.Unresolved)?.reason ?? "\(error)"
            return .init(
                grade: .bad, subject: subject,
                finding: "--host \(host) has no address: \(reason)",
                mend: "Give an address of this machine; 0.0.0.0 means all of them.")
        }
    }

    /// Checks whose word about a client's address counts; nil if nothing is wrong.
    static func proxies(_ settings: ServeSettings) -> Examination? {
        guard let exposure = settings.proxies.exposure(servesTLS: settings.tls != nil) else {
            return nil
        }
        return .init(
            grade: .bad, subject: "proxy",
            finding: "\(exposure), so clients can choose their address and avoid limits",
            mend: TrustedProxies.mend)
    }

    /// Says which requests go out directly; nil without a proxy.
    static func outboundProxy(_ settings: ServeSettings) -> Examination? {
        guard settings.outboundProxy != nil else { return nil }
        var direct = ["webhooks", "push services other than the large browsers'"]
        if case .server = settings.reach.mail { direct.append("e-mail") }
        if settings.heartbeatURL != nil { direct.append("the heartbeat") }
        if settings.tracesURL != nil { direct.append("traces") }
        return .init(
            grade: .note, subject: "outbound proxy",
            finding: "not used for \(direct.joined(separator: ", "))",
            mend: "Let the firewall pass these connections, if people need them.")
    }

    /// Returns nil if listening works, otherwise the system's text for the error.
    private static func tryListening(at address: addrinfo) -> String? {
        let descriptor = socket(address.ai_family, address.ai_socktype, 0)
        guard descriptor >= 0 else { return String(cString: strerror(errno)) }
        defer { close(descriptor) }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, address.ai_addr, address.ai_addrlen) == 0,
            listen(descriptor, 1) == 0
        else { return String(cString: strerror(errno)) }
        return nil
    }

    /// Checks that the hosts for messages and links have an address. A literal address needs
    /// no look-up.
    static func hosts(_ settings: ServeSettings) -> [Examination] {
        var hosts: [Host] = []
        if case .server(let server, _, _) = settings.reach.mail {
            hosts.append(("mail server", server.host, "--mail-server"))
        }
        if let proxy = settings.outboundProxy {
            // The proxy looks up the providers' hosts.
            hosts.append(("proxy", URL(string: proxy)?.host, "--outbound-proxy"))
        } else {
            hosts += providers(settings)
        }
        if let heartbeat = settings.heartbeatURL {
            hosts.append(("heartbeat", heartbeat.host, "--heartbeat-url"))
        }
        if let traces = settings.tracesURL {
            hosts.append(("traces", traces.host, "--traces-url"))
        }
        if settings.isPublicURLGiven {
            hosts.append(("public URL", settings.publicURL.host, "--public-url, and your DNS"))
        }
        for url in settings.otherURLs {
            hosts.append(("other URL", url.host, "--other-urls, and your DNS"))
        }
        return hosts.compactMap { subject, host, option in
            let host = (host ?? "").trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
            guard let trouble = HostAddress.trouble(with: host) else { return nil }
            return .init(
                grade: .bad, subject: subject,
                finding: "\(host) has no address: \(trouble)", mend: "Check \(option).")
        }
    }

    private typealias Host = (subject: String, host: String?, option: String)

    private static func providers(_ settings: ServeSettings) -> [Host] {
        var hosts: [Host] = []
        switch settings.sms {
        case .twilio(let account, _):
            hosts.append(("Twilio", account.baseURL.host, "the machine's DNS"))
        case .gateway(let gateway, _, _):
            hosts.append(("SMS gateway", gateway.host, "\"url\" in --sms-gateway-file"))
        case .console, .none: break
        }
        if let voice = settings.reach.voice {
            hosts.append(("calls", voice.account.baseURL.host, "the machine's DNS"))
        }
        if let apns = settings.apps.apns?.configuration {
            hosts.append(("APNs", apns.productionURL.host, "the machine's DNS"))
        }
        if let fcm = settings.apps.fcm {
            hosts.append(("FCM", fcm.baseURL.host, "the machine's DNS"))
        }
        return hosts
    }
}
