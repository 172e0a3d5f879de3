import ArgumentParser

@main
struct LifeSignal: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lifesignal",
        abstract: "A personal safety network: people check in, and when one does not, those they chose are told.",
        discussion: """
            Start with `lifesignal demo` to see it work, then `lifesignal serve`. Every option of serve can also be given as \
            an environment variable: LIFESIGNAL_ and the option's name, as in LIFESIGNAL_PORT.
            """,
        version: "1",
        subcommands: [Serve.self, Demo.self, Doctor.self, Backup.self, Restore.self, QR.self]
    )
}

/// Something an operator has to mend; printed as it is, without a stack of causes.
struct Failure: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}
