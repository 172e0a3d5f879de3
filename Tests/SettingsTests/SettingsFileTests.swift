import Testing

@testable import Settings

@Suite struct SettingsFileTests {
    private func refusal(_ text: String) -> String? {
        do {
            _ = try settingsFile(text)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func valuesKeepTheirText() throws {
        let entries = try settingsFile(
            """
            # a comment
            host: "::1"
            port: 8080

            country: NO
            numbers: [+4930123456, '007']
            log-level: debug # at the end
            """
        ).entries
        #expect(entries["host"] == SettingsFile.Entry(value: "::1", line: 2))
        #expect(entries["port"] == SettingsFile.Entry(value: "8080", line: 3))
        #expect(entries["country"] == SettingsFile.Entry(value: "NO", line: 5))
        #expect(entries["numbers"] == SettingsFile.Entry(value: "+4930123456,007", line: 6))
        #expect(entries["log-level"]?.value == "debug")
    }

    @Test(arguments: ["", "\n", "# only a comment\n", "---\n"])
    func emptyFileHasNoSettings(text: String) throws {
        #expect(try settingsFile(text).entries.isEmpty)
    }

    @Test(arguments: ["host:", "host: ''", "host: ~", "host: null", "host: NULL"])
    func keyWithoutValueIsUnset(text: String) throws {
        #expect(try loaded(file: text)["EXAMPLE_HOST"] == nil)
    }

    @Test func quotedNullIsText() throws {
        #expect(try loaded(file: "host: '~'")["EXAMPLE_HOST"] == "~")
        #expect(try loaded(file: "host: \"null\"")["EXAMPLE_HOST"] == "null")
    }

    @Test(arguments: [
        ("prot: 1", "settings.yaml, line 1: prot is not a setting. Did you mean port?"),
        ("port: 1\nPORT: 2", "settings.yaml, line 2: PORT is not a setting."),
        ("EXAMPLE_PORT: 1", "line 1: EXAMPLE_PORT is not a setting. Did you mean port?"),
        // Settings of clients and of tests don't belong into the server's file.
        ("server: x", "settings.yaml, line 1: server is not a setting."),
        ("seed: 1", "settings.yaml, line 1: seed is not a setting."),
        ("port: [1, 2]", "settings.yaml, line 1: port must be one value."),
        ("port: {a: 1}", "settings.yaml, line 1: port must be one value."),
        ("numbers: {a: 1}", "line 1: numbers must be one value or a list of values."),
        ("numbers: [[1]]", "line 1: numbers must be a list of simple values."),
        ("numbers: ['1,2']", "line 1: numbers must be a list of simple values."),
        ("? [a]\n: b", "line 1: a setting must have a name before its colon."),
        ("- port", "settings.yaml must have lines such as \"port: 8080\"."),
        ("port", "settings.yaml must have lines such as \"port: 8080\"."),
        ("port: 1\nport: 2", "port is there twice."),
        ("port: \"8080", "is not YAML"),
        ("port: 1\n  host: x", "settings.yaml, line 2, is not YAML"),
    ])
    func mistakeIsNamedWithItsLine(text: String, words: String) throws {
        let found = try #require(refusal(text))
        #expect(found.contains(words), "\(found)")
        #expect(!found.contains("\n"))
    }

    @Test func lenientReadingSkipsUnknownNames() throws {
        let lenient = try SettingsFile(
            path: "settings.yaml", text: "prot: 1\nhost: x", catalogue: catalogue, isStrict: false)
        #expect(lenient.entries.keys.sorted() == ["host"])
        try withFile("mail-password: geheim", mode: 0o644) {
            _ = try SettingsFile(path: $0, catalogue: catalogue, isStrict: false)
        }
    }

    @Test func missingFileIsRefused() {
        #expect(throws: SettingError("the settings file /nowhere/x.yaml can't be read.")) {
            try SettingsFile(path: "/nowhere/x.yaml", catalogue: catalogue)
        }
    }

    @Test func onlyFileWithSecretMustBePrivate() throws {
        let harmless = "port: 1\nmail-password:\nmail-password-file: /x"
        try withFile(harmless, mode: 0o644) { path throws in
            #expect(try SettingsFile(path: path, catalogue: catalogue).entries["port"] != nil)
        }
        try withFile("mail-password: geheim", mode: 0o600) {
            _ = try SettingsFile(path: $0, catalogue: catalogue)
        }
        try withFile("mail-password: geheim", mode: 0o604) { path throws in
            let error = #expect(throws: SettingError.self) {
                try SettingsFile(path: path, catalogue: catalogue)
            }
            let text = error?.description ?? ""
            #expect(text.contains("other users can read \(path)") && text.contains("chmod"))
            #expect(!text.contains("geheim"))
        }
    }
}
