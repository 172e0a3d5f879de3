import Testing

@testable import Settings

@Suite struct SettingCatalogueTests {
    @Test func namesBecomeVariablesAndBack() {
        #expect(catalogue.variable(of: "log-level") == "EXAMPLE_LOG_LEVEL")
        #expect(catalogue.name(of: "EXAMPLE_LOG_LEVEL") == "log-level")
        #expect(catalogue.name(of: "PATH") == nil)
    }

    @Test(arguments: [
        "EXAMPLE_PORT", "EXAMPLE_MAIL_PASSWORD_FILE", "EXAMPLE_SEED", "EXAMPLE_SERVER",
        "OTHER_NAME", "EXAMPL_PORT",
    ])
    func knownAndForeignVariablesPass(variable: String) throws {
        try catalogue.checkNames(in: [variable: "x"])
    }

    @Test(arguments: [
        ("EXAMPLE_PROT", "EXAMPLE_PORT"), ("EXAMPLE_LOGLEVEL", "EXAMPLE_LOG_LEVEL"),
        ("EXAMPLE_MAIL_PASWORD_FILE", "EXAMPLE_MAIL_PASSWORD_FILE"),
        ("EXAMPLE_port", "EXAMPLE_PORT"), ("EXAMPLE_HOST_FILE", "EXAMPLE_KEY_FILE"),
        // Variables of tests are no guess.
        ("EXAMPLE_SEEDS", "EXAMPLE_KEY"),
    ])
    func unknownVariableNamesNearest(variable: String, nearest: String) {
        // An empty variable with a wrong name is a mistake, too.
        for text in ["x", ""] {
            #expect(
                throws: SettingError("\(variable) is not a setting. Did you mean \(nearest)?")
            ) {
                try catalogue.checkNames(in: ["EXAMPLE_PORT": "1", variable: text])
            }
        }
    }

    @Test func fileFormIsOnlyForSecrets() {
        #expect(catalogue["mail-password-file"] != nil)
        #expect(catalogue["mail-user-file"] == nil)
        #expect(!catalogue.hasOwnFile(Setting("mail-password", isSecret: true)))
        #expect(catalogue.hasOwnFile(Setting("key", isSecret: true)))
    }

    @Test(arguments: [
        ("port", "port", 0), ("prot", "port", 1), ("pot", "port", 1), ("ports", "port", 1),
        ("part", "port", 1), ("", "port", 4), ("host", "port", 2),
    ])
    func distanceCountsLetters(one: String, other: String, distance: Int) {
        #expect(SettingCatalogue.distance(one, other) == distance)
        #expect(SettingCatalogue.distance(other, one) == distance)
    }
}
