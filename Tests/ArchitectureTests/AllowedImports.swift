/// The imports that each module may use, with reasons. Everything else is forbidden.
struct Room: Sendable {
    var name: String
    /// Rooms of ours.
    var ours: Set<String>
    /// Products of other packages, by the modules that are imported.
    var others: Set<String> = []
    /// Libraries of the system.
    var system: Set<String> = []
    var reason: String

    static let all: [Room] = [
        Room(
            name: "Domain", ours: [], reason: "values and rules, no I/O: an app takes it as it is"),
        Room(
            name: "API", ours: ["Domain"],
            reason: "the one contract of server and clients, for every platform"),
        Room(
            name: "ComposableArchitecture", ours: [],
            others: ["CustomDump", "IssueReporting", "OrderedCollections"],
            reason: "stands in for a package of others, so nothing of LifeSignal is in it"),
        Room(
            name: "ComposableArchitectureMacros", ours: [],
            others: [
                "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftSyntax", "SwiftSyntaxMacros",
            ],
            reason: "runs inside the compiler"),
        Room(
            name: "Clients", ours: ["Domain", "ComposableArchitecture"],
            reason: "what the features ask the world for; dependencies need their keys"),
        Room(
            name: "Features", ours: ["Clients", "Domain", "ComposableArchitecture"],
            reason: "reducers only: no user interface, no network, no database"),
        Room(
            name: "Cryptography", ours: [], system: ["COpenSSL"],
            reason: "hashes, tokens and keys know nothing of what they protect"),
        Room(
            name: "Persistence", ours: ["Domain"], others: ["GRDB", "GRDBSQLite"],
            reason: "SQL over values of Domain; the only one that knows the engine"),
        Room(
            name: "SafetyNetwork", ours: ["Domain", "Persistence", "Cryptography"],
            system: ["CTime"],
            reason:
                """
                commands and watch, without a wire: who asks is given; CTime is the kernel's word \
                on its clock
                """
        ),
        Room(
            name: "HTTPClient", ours: [], system: ["CCurl", "COpenSSL"],
            reason:
                """
                requests to somebody else's server, whoever makes them: Delivery and the live \
                clients share one pool of connections each
                """
        ),
        Room(
            name: "Delivery", ours: ["Domain", "Persistence", "Cryptography", "HTTPClient"],
            reason:
                "works from the ledger's rows and signs what it sends; nobody calls it in a command"
        ),
        Room(
            name: "QRCode", ours: ["Domain"],
            system: ["CQRencode", "CPNG", "CTurboJPEG", "CZXing"],
            reason: "pictures in, texts out, over C libraries"),
        Room(
            name: "HTTPServer",
            ours: ["Domain", "API", "SafetyNetwork", "Persistence", "Cryptography", "QRCode"],
            others: [
                "Hummingbird", "HTTPTypes", "Logging", "NIOCore", "NIOHTTP1", "ServiceLifecycle",
                "NIOHTTPTypes",
            ], system: ["CPhoneNumber"],
            reason:
                """
                commands on HTTP: sessions, limits, events; NIOHTTPTypes are the parts that \
                Hummingbird's channel handlers see
                """
        ),
        Room(
            name: "ClientsLive",
            ours: ["Domain", "API", "Clients", "ComposableArchitecture", "HTTPClient", "QRCode"],
            others: ["GRDB"],
            system: ["Security", "ImageIO", "CoreImage", "UniformTypeIdentifiers"],
            reason:
                """
                the clients' live values, with their keys: the routes of API over a transport, the \
                copy and the queue in SQLite, pictures. Knows nothing \
                of the server's rooms, so that an app can take it. Security is the keychain, \
                ImageIO, CoreImage and UniformTypeIdentifiers read \
                pictures, all on Apple's systems
                """
        ),
        Room(
            name: "InProcessTransport", ours: ["ClientsLive", "HTTPServer"],
            others: ["Hummingbird", "HTTPTypes", "Logging", "NIOCore"],
            reason:
                """
                the one place where a client meets the server in the same process, by its router \
                and nothing behind it
                """
        ),
        Room(
            name: "LivePages", ours: ["ComposableArchitecture", "Cryptography"],
            others: ["Hummingbird", "HTTPTypes", "NIOCore", "ServiceLifecycle"], system: ["CZlib"],
            reason:
                """
                any feature as pages: state to HTML, patches, sessions, routes. Knows nothing of \
                LifeSignal. Cookies are Cryptography's tokens, zlib compresses files
                """
        ),
        Room(
            name: "Web",
            ours: [
                "API", "Clients", "ClientsLive", "ComposableArchitecture", "Domain", "Features",
                "Cryptography", "HTTPServer", "LivePages",
            ],
            others: ["Hummingbird", "HTTPTypes", "NIOCore", "ServiceLifecycle"],
            reason:
                """
                the features on LivePages: no rule of its own and no database; it asks the API \
                like any client, and Server's router carries its routes
                """
        ),
        Room(
            name: "CommandLine",
            ours: ["Domain", "Clients", "ClientsLive", "ComposableArchitecture"],
            others: ["ArgumentParser"],
            reason:
                """
                a front end like any other: arguments in, the live clients' closures, words out. \
                Of the Composable Architecture it takes the values that the \
                clients come in
                """
        ),
        Room(
            name: "lifesignal",
            ours: [
                "Domain", "Cryptography", "Persistence", "SafetyNetwork", "HTTPClient", "Delivery",
                "HTTPServer", "QRCode", "Clients", "ClientsLive", "ComposableArchitecture",
                "InProcessTransport", "Web", "CommandLine",
            ],
            others: [
                "ArgumentParser", "Hummingbird", "Logging", "NIOCore", "ServiceLifecycle",
                "UnixSignals",
            ], reason: "wiring only, so it sees everything"),
        Room(
            name: "lifesignal-bench", ours: ["Domain", "Cryptography", "Persistence", "QRCode"],
            others: ["ArgumentParser", "GRDBSQLite", "NIOCore", "NIOPosix"], system: ["CTurboJPEG"],
            reason:
                "measures from outside: as a client, as a disk, and with a camera's own pictures"),
        Room(
            name: "client-bench",
            ours: [
                "API", "Clients", "ClientsLive", "ComposableArchitecture", "Domain", "Features",
                "TestApp",
            ],
            reason: "measures what a person waits for: from one store to another"),
        Room(
            name: "web-bench",
            ours: [
                "API", "ClientsLive", "Domain", "TestApp", "SafetyNetwork", "Cryptography", "Web",
            ], system: ["CMalloc"],
            reason:
                """
                measures the sessions of the web app from outside, by a browser's lines, and what \
                they take of the process's memory
                """
        ),
        Room(
            name: "store-bench", ours: ["ComposableArchitecture"],
            reason: "measures stores of features of its own"),
        Room(name: "CZXing", ours: [], reason: "C++ behind a C door"),
        Room(name: "CPhoneNumber", ours: [], reason: "C++ behind a C door"),
    ]

    /// Modules that come with Swift.
    static let withSwift: Set<String> = [
        "Foundation", "FoundationEssentials", "Synchronization", "Dispatch", "Glibc", "Darwin",
        "Musl", "Android", "Swift", "_StringProcessing", "Observation",
        "SwiftUI",
        "Combine",
    ]
}
