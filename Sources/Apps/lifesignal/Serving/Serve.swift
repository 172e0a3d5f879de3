import ArgumentParser
import Foundation
import HTTPServer
import Logging
import NIOCore
import Persistence
import TLS
import UnixSignals

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the server.",
        discussion:
            """
            SIGTERM or Ctrl-C finishes what is being answered, writes everything out and exits \
            within 10 seconds. SIGHUP reads the settings again, unless a terminal closes. The \
            certificate and these change at once: \(SettingsEnvironment.reread). The log names \
            other changed settings, which need a restart.

            \(SettingsEnvironment.help)
            """
    )

    @OptionGroup var options: ServeOptions
    @OptionGroup var reach: ReachOptions

    func run() async throws {
        var options = options
        var settings = try options.settings(reach)
        Logs.start(settings)
        Process.prepareForServing()
        if case .file(let path) = settings.database {
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            do {
                try FileManager.default.createDirectory(
                    at: folder, withIntermediateDirectories: true)
            } catch {
                throw Failure(
                    "the folder \(folder.path) can't be made: \(error.localizedDescription)")
            }
        }
        let logger = Logger(label: "lifesignal")
        // A proxy that encrypts again may be in front.
        if let exposure = settings.proxies.exposure(servesTLS: settings.tls != nil) {
            logger.warning(
                "without a proxy, clients choose their address",
                metadata: ["reason": "\(exposure)", "mend": "\(TrustedProxies.mend)"])
        }
        let sockets = try Self.sockets(settings)
        if let path = settings.socketPath, sockets.main == nil { try Self.checkSocket(path) }
        let certificate = try settings.tls?.load()
        if settings.port == 0, settings.socketPath == nil, sockets.main == nil,
            let port = try? await FreePort.find(at: settings.host)
        {
            options.port = port
            settings = try options.settings(reach)
        }
        let reload = Reload(
            settings, options: options, reach: reach, certificate: certificate, logger: logger)
        let server = try await Self.open(settings, sockets, certificate, reload, logger)
        do {
            try await server.run(signals: [.sigterm, .sigint], logger: logger)
        } catch let failure as ListeningFailure {
            throw Self.explain(failure.reason, port: failure.port, settings)
        } catch let error as IOError {
            throw Failure("the server can't listen on \(settings.place): \(error)")
        } catch is SocketAddressError.UnknownHost {
            throw Failure(
                """
                --host \(settings.host) is neither an address of this machine nor a name of one. \
                0.0.0.0 means all of its addresses.
                """)
        } catch let error as SocketAddressError {
            throw Failure("--host \(settings.host) has no address: \(error)")
        }
        Terminal.printLine("Stopped. Everything that was answered is stored.")
    }

    /// Returns the sockets that systemd has opened. Throws `Failure` if they can't be used.
    private static func sockets(_ settings: ServeSettings) throws -> InheritedSockets {
        let sockets: InheritedSockets
        do {
            sockets = try InheritedSockets(environment: ProcessInfo.processInfo.environment)
        } catch let error as InheritedSockets.Refusal {
            throw Failure("the sockets of systemd can't be used: \(error)")
        }
        // The settings decide which proxies are trusted.
        if let main = sockets.main,
            InheritedSockets.isLocal(main) != (settings.socketPath != nil)
        {
            throw Failure(
                """
                the socket of systemd is at another place than --port or --listen. Give the one \
                that ListenStream names.
                """)
        }
        return sockets
    }

    /// Throws `Failure` if something else than a socket is at its path. The socket of an earlier
    /// process is replaced.
    static func checkSocket(_ path: String) throws {
        let type =
            try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        guard type == .typeRegular || type == .typeDirectory else { return }
        throw Failure("--listen: \(path) exists and is not a socket. Give another path.")
    }

    /// Opens the database. If an existing database can't be opened or migrated on a full disk,
    /// retries until there is space. Without an existing database, throws instead.
    private static func open(
        _ settings: ServeSettings, _ sockets: InheritedSockets, _ certificate: LiveCertificate?,
        _ reload: Reload, _ logger: Logger
    ) async throws -> RunningServer {
        let manager = ServiceManager(environment: ProcessInfo.processInfo.environment)
        let hasDatabase = settings.database.hasFile
        var isTold = false
        while true {
            do {
                return try await RunningServer(
                    settings, besides: Reload.isPossible ? [reload] : [], sockets: sockets,
                    limits: reload.limits, proxies: reload.proxies, signUp: reload.signUp,
                    certificate: certificate, manager: manager, logger: logger,
                    onInternal: { port in
                        Terminal.printLine("Health and metrics: http://\(settings.host):\(port)")
                    }
                ) { port in
                    greet(settings, port: port, isInherited: sockets.main != nil)
                }
            } catch let error as DatabaseError where error.isOfFullDisk && hasDatabase {
                if !isTold {
                    logger.error(
                        "the server is waiting for free disk space",
                        metadata: ["reason": "\(error)"])
                }
                isTold = true
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    private static func explain(
        _ error: IOError, port: Int, _ settings: ServeSettings
    ) -> Failure {
        let option = port == settings.internalPort ? "--internal-port" : "--port"
        return switch error.errnoCode {
        case EADDRINUSE:
            Failure(
                """
                port \(port) on \(settings.host) is taken by another program. Stop it, or give \
                another \(option).
                """
            )
        case EADDRNOTAVAIL:
            Failure(
                """
                this machine has no address \(settings.host). Give another --host; 0.0.0.0 means \
                all of them.
                """
            )
        case EACCES:
            Failure(
                """
                port \(port) needs more rights than this user has. Give a \(option) above 1023.
                """
            )
        default: Failure("the server can't listen on \(settings.host):\(port): \(error)")
        }
    }

    private static func greet(_ settings: ServeSettings, port: Int, isInherited: Bool) {
        let shownHost =
            ["127.0.0.1", "0.0.0.0", "::", "::1"].contains(settings.host)
            ? "localhost" : settings.host
        if let path = settings.socketPath {
            // Proxies connect as members of the group. The umask forbids them to.
            if !isInherited { chmod(path, 0o660) }
            Terminal.printLine("LifeSignal is ready at unix:\(path)")
        } else {
            let scheme = settings.tls == nil ? "http" : "https"
            Terminal.printLine("LifeSignal is ready at \(scheme)://\(shownHost):\(port)")
        }
        let key =
            switch settings.key {
            case .file(let path): URL(fileURLWithPath: path).lastPathComponent
            case .environment: settings.key.name
            }
        Terminal.printLine("Data: \(settings.database) (and its key: \(key))")
        switch settings.sms {
        case .console:
            Terminal.printLine("Sign-in codes and text messages appear in this terminal.")
        case .none:
            Terminal.printLine(
                "No text messages are sent: only test numbers and tokens for a number sign in.")
        case .twilio: Terminal.printLine("Text messages go out by Twilio.")
        case .gateway: Terminal.printLine("Text messages go out by your gateway.")
        }
        if case .console = settings.reach.mail {
            Terminal.printLine("E-mail appears in this terminal.")
        }
        for number in settings.testNumbers.keys.sorted(by: { $0.text < $1.text }) {
            Terminal.printLine("Test number: \(number)")
        }
        Terminal.printLine("Ctrl-C stops the server.")
    }
}

extension Process {
    /// Makes new files readable only by the server's user.
    static func keepFilesPrivate() { umask(0o077) }

    /// Raises the limit of open files to the maximum. Ignores SIGPIPE and SIGXFSZ. A write to a
    /// closed pipe or beyond the file size limit then fails, instead of killing the process.
    static func prepareForServing() {
        keepFilesPrivate()
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        if getrlimit(openFiles, &limit) == 0 {
            limit.rlim_cur = limit.rlim_max
            setrlimit(openFiles, &limit)
        }
    }

    static var descriptorLimit: Int {
        var limit = rlimit()
        // POSIX guarantees only 20, but every supported system has at least this many.
        guard getrlimit(openFiles, &limit) == 0 else { return 256 }
        return Int(clamping: limit.rlim_cur)
    }

    #if canImport(Glibc)
    private static var openFiles: __rlimit_resource_t { .init(RLIMIT_NOFILE.rawValue) }
    #else
    private static var openFiles: Int32 { RLIMIT_NOFILE }
    #endif
}
