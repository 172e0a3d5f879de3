import Testing

@testable import Settings

@Suite struct SettingReaderTests {
    private func reader(
        _ environment: [String: String] = [:], file: String = ""
    ) throws -> SettingReader {
        SettingReader(environment: try loaded(environment, file: file))
    }

    @Test(arguments: [("1", 1), ("9", 9)])
    func numberInRangeIsRead(text: String, value: Int) throws {
        let read = try reader(["EXAMPLE_PORT": text])
        #expect(try read.integer(nil, "PORT", default: 5, in: 1...9) == value)
    }

    @Test func wrongNumberNamesKeyValueAndRange() throws {
        for text in ["0", "10"] {
            #expect(throws: SettingError("EXAMPLE_PORT must be 1 to 9, not \"\(text)\".")) {
                try reader(["EXAMPLE_PORT": text]).integer(nil, "PORT", default: 5, in: 1...9)
            }
        }
        #expect(throws: SettingError("EXAMPLE_PORT must be a whole number, not \"many\".")) {
            try reader(["EXAMPLE_PORT": "many"]).integer(nil, "PORT", default: 5, in: 1...9)
        }
        let error = SettingError("port (settings.yaml, line 2) must be 1 to 9, not \"0\".")
        #expect(throws: error) {
            try reader(file: "\nport: 0").integer(nil, "PORT", default: 5, in: 1...9)
        }
        #expect(throws: SettingError("--port must be 1 to 9, not \"10\".")) {
            try reader(file: "port: 5").integer(10, "PORT", default: 5, in: 1...9)
        }
    }

    @Test(arguments: ["1", "true", "YES", "on"])
    func trueIsRead(text: String) throws {
        #expect(try reader(["EXAMPLE_HOST": text]).flag(false, "HOST"))
    }

    @Test(arguments: ["0", "false", "No", "off", ""])
    func falseIsRead(text: String) throws {
        let read = try reader(["EXAMPLE_HOST": text])
        #expect(try !read.flag(false, "HOST"))
        #expect(try read.flag(true, "HOST"))
    }

    @Test func neitherTrueNorFalseIsRefused() throws {
        #expect(throws: SettingError("EXAMPLE_HOST must be true or false, not \"perhaps\".")) {
            try reader(["EXAMPLE_HOST": "perhaps"]).flag(false, "HOST")
        }
    }

    @Test func listsAreSeparatedByCommas() throws {
        let read = try reader(["EXAMPLE_NUMBERS": "1, 2,,"])
        #expect(read.list([], "NUMBERS") == ["1", "2"])
        #expect(read.list(["3"], "NUMBERS") == ["3"])
        #expect(read.list(["3,4", "5"], "NUMBERS") == ["3", "4", "5"])
        #expect(read.list([""], "NUMBERS") == ["1", "2"])
        #expect(try reader(file: "numbers: [a, b]").list([], "NUMBERS") == ["a", "b"])
        #expect(try reader().list([], "NUMBERS").isEmpty)
    }

    @Test(arguments: [
        (String(repeating: "x", count: 60), String(repeating: "x", count: 60)),
        (String(repeating: "x", count: 61), String(repeating: "x", count: 60) + "…"),
        ("one\ntwo", "one two"),
        ("http://ann:geheim@proxy/path", "http:********@proxy/path"),
        ("ann:ge/h@eim@proxy:3128", "ann:********@proxy:3128"),
        ("http://proxy/path", "http://proxy/path"),
    ])
    func refusalShowsValueOnOneShortLine(value: String, shown: String) throws {
        let read = try reader(["EXAMPLE_HOST": value])
        _ = read.optional("HOST")
        #expect(
            read.refusal("HOST", "must be short").description
                == "EXAMPLE_HOST must be short, not \"\(shown)\".")
    }

    @Test func refusalHidesSecrets() throws {
        let read = try reader(["EXAMPLE_MAIL_PASSWORD": "geheim"])
        _ = read.optional("MAIL_PASSWORD")
        #expect(
            read.refusal("MAIL_PASSWORD", "must be long").description
                == "EXAMPLE_MAIL_PASSWORD must be long.")
    }
}
