import Testing

@testable import Settings

@Suite struct SettingValuesTests {
    @Test func optionBeatsEnvironmentBeatsFile() throws {
        let both = try loaded(["EXAMPLE_HOST": "environment"], file: "host: file")
        let read = SettingReader(environment: both)
        #expect(read.text("option", "HOST", default: "default") == "option")
        #expect(read.text(nil, "HOST", default: "default") == "environment")
        let file = SettingReader(environment: try loaded(file: "host: file"))
        #expect(file.text(nil, "HOST", default: "default") == "file")
        let none = SettingReader(environment: try loaded())
        #expect(none.text(nil, "HOST", default: "default") == "default")
    }

    @Test(arguments: ["", " ", "\t"])
    func blankCountsAsUnset(blank: String) throws {
        let values = try loaded(["EXAMPLE_HOST": blank], file: "host: file")
        #expect(values["EXAMPLE_HOST"] == "file")
        #expect(SettingReader(environment: values).text(blank, "HOST", default: "x") == "file")
        let alone = try SettingValues(
            environment: ["EXAMPLE_HOST": blank], catalogue: catalogue)
        #expect(alone["EXAMPLE_HOST"] == nil)
    }

    // MARK: Secrets in files

    private let name = "EXAMPLE_MAIL_PASSWORD"

    @Test func secretComesFromFileOfEitherLayer() throws {
        try withFile("secret\n", mode: 0o600) { path throws in
            #expect(try loaded(["\(name)_FILE": path])[name] == "secret")
            #expect(try loaded(file: "mail-password-file: \(path)")[name] == "secret")
        }
    }

    @Test func secretItselfBeatsItsFile() throws {
        // The files are missing, and would be an error if they were read.
        #expect(try loaded([name: "own", "\(name)_FILE": "/nowhere/x"])[name] == "own")
        #expect(try loaded([name: "own"], file: "mail-password-file: /nowhere/x")[name] == "own")
    }

    @Test func fileOfVariableBeatsSecretInSettingsFile() throws {
        try withFile("new", mode: 0o600) { path throws in
            #expect(try loaded(["\(name)_FILE": path], file: "mail-password: old")[name] == "new")
        }
    }

    @Test func emptySecretFileCountsAsUnset() throws {
        try withFile("\n", mode: 0o600) { path throws in
            #expect(try loaded(["\(name)_FILE": path])[name] == nil)
        }
    }

    @Test func missingSecretFileIsRefused() {
        #expect(throws: SettingError("\(name)_FILE: the file /nowhere/x can't be read.")) {
            try loaded(["\(name)_FILE": "/nowhere/x"])
        }
    }

    @Test func unreadSecretsAreNoError() throws {
        let values = try SettingValues(
            environment: ["\(name)_FILE": "/nowhere/x"], catalogue: catalogue, secrets: [])
        #expect(values[name] == nil)
    }

    @Test func keyFileIsNoTextOfKey() throws {
        #expect(try loaded(["EXAMPLE_KEY_FILE": "/nowhere/x"])["EXAMPLE_KEY"] == nil)
    }

    // MARK: In force

    private func inForce(_ values: SettingValues, _ name: String) -> SettingInForce? {
        values.inForce.first { $0.setting.name == name }
    }

    @Test func eachSettingHasItsOrigin() throws {
        let values = try loaded(
            ["EXAMPLE_HOST": "h", "EXAMPLE_SEED": "1"], file: "\nport: 1\ncountry: DE")
        let read = SettingReader(environment: values)
        _ = read.text(nil, "HOST", default: "")
        _ = try read.integer(nil, "PORT", default: 2, in: 0...9)
        _ = read.text("debug", "LOG_LEVEL", default: "info")
        _ = read.text(nil, "MAIL_USER", default: "nobody")
        #expect(inForce(values, "host")?.origin == .environment(variable: "EXAMPLE_HOST"))
        #expect(inForce(values, "port")?.origin == .file(path: "settings.yaml", line: 2))
        #expect(inForce(values, "log-level")?.origin == .option)
        #expect(inForce(values, "mail-user")?.value == "nobody")
        #expect(inForce(values, "mail-user")?.origin == .standard)
        // Nothing has read the country, but it is set.
        #expect(inForce(values, "country")?.value == "DE")
        #expect(inForce(values, "numbers")?.value == nil)
        #expect(values.inForce.allSatisfy { $0.setting.reader == .server })
    }

    @Test func secretsAreHidden() throws {
        let values = try loaded([name: "very secret"])
        #expect(inForce(values, "mail-password")?.value == "********")
        #expect(inForce(values, "key")?.value == nil)
    }

    @Test(arguments: [
        ("postgres://ana:geheim@db/x", "postgres://ana:********@db/x"),
        ("postgres://ana@db/x?password=geheim&a=b", "postgres://ana@db/x?password=********&a=b"),
        ("http://ana:ge@heim@proxy:3128", "http://ana:********@proxy:3128"),
        ("http://a:b@c,http://d:e@f", "http://a:********@c,http://d:********@f"),
        ("postgres://ana@db:5432/x", "postgres://ana@db:5432/x"),
        ("https://example.org:8443/a@b", "https://example.org:8443/a@b"),
    ])
    func passwordsInURLsAreHidden(url: String, shown: String) throws {
        #expect(inForce(try loaded(["EXAMPLE_HOST": url]), "host")?.value == shown)
    }

    @Test func changesAreFoundAlsoInSecrets() throws {
        let old = try loaded([name: "old", "EXAMPLE_HOST": "same"]).inForce
        let new = try loaded([name: "new", "EXAMPLE_HOST": "same", "EXAMPLE_PORT": "1"]).inForce
        let changed = SettingInForce.changed(from: old, to: new)
        #expect(changed.map(\.name) == ["mail-password", "port"])
        #expect(SettingInForce.changed(from: old, to: old).isEmpty)
    }
}
