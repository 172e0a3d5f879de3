import ArgumentParser
import Delivery
import Domain
import Foundation
import Persistence
import SafetyNetwork

struct Firestore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compare the copy in Firestore with the database, or copy everyone again.",
        discussion: """
            Takes the same options as serve, also while a server runs. --verify exits with 1 if \
            documents differ.
            """
    )

    @Flag(help: "Compare all documents with the database, and print the differences.")
    var verify = false

    @Flag(help: "Make the running server, or else the next one, copy everyone again.")
    var fill = false

    @OptionGroup var options: ServeOptions
    @OptionGroup var reach: ReachOptions

    func validate() throws {
        guard verify != fill else { throw ValidationError("Give either --verify or --fill.") }
    }

    func run() async throws {
        let settings = try options.settings(reach)
        guard let firestore = settings.firestore else {
            throw Failure(
                "Give --firestore-project and --firestore-credentials, with the server's values.")
        }
        if fill {
            switch settings.database {
            case .file(let path): try CopyCommands.fill(path)
            case .postgreSQL(let address): try CopyCommands.fill(address, now: { Date() })
            }
            Terminal.printLine("The server copies everyone again, now or after its next start.")
            return
        }
        try await compare(settings, firestore)
    }

    private func compare(_ settings: ServeSettings, _ firestore: FirestoreSettings) async throws {
        let database = settings.database
        let options = SafetyNetwork.Options(publicURL: settings.publicURL)
        let comparison = FirestoreComparison(
            client: firestore.client(now: { Date() }),
            pictureURL: { options.pictureURL($0) },
            accounts: { last, limit in
                try Self.read(database) { try $0.copiedAccounts(after: last, limit: limit) }
            },
            read: { people in
                try Self.read(database) { connection in
                    var found: [UserID: CopiedPerson] = [:]
                    for person in people { found[person] = try connection.copiedPerson(person) }
                    return found
                }
            })
        let result: FirestoreComparison.Result
        do {
            result = try await comparison.run { Terminal.printLine("\($0)") }
        } catch let failure as FirestoreFailure {
            throw Failure("Firestore can't be read: \(failure).")
        }
        let waiting = try Self.read(database) { try $0.copyBacklog() }
        if waiting.people > 0 { Terminal.printLine("\(FirestoreWorker.words(waiting)).") }
        guard result.differences == 0 else {
            Terminal.printLine("\(result.differences) documents differ from the database.")
            throw ExitCode(1)
        }
        Terminal.printLine(
            "The copy equals the database: \(result.people) people, \(result.alerts) alerts.")
    }

    /// Reads a database that a server may use. Throws `DatabaseError`.
    static func read<Value>(
        _ location: DatabaseLocation, _ body: (any SQLConnection) throws -> Value
    ) throws -> Value {
        switch location {
        case .file(let path): return try SQLiteFile.read(path, body)
        case .postgreSQL(let address):
            return try CopyCommands.read(address, now: { Date() }, body)
        }
    }
}
