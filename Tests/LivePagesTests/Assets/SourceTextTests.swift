import Testing

@testable import LivePages

@Suite struct SourceTextTests {
    private func script(_ text: String) -> String {
        String(decoding: SourceText.compactScript(Array(text.utf8)), as: UTF8.self)
    }

    private func style(_ text: String) -> String {
        String(decoding: SourceText.compactStyle(Array(text.utf8)), as: UTF8.self)
    }

    @Test func scriptLosesCommentsAndIndentation() {
        #expect(
            script("// One.\n\nfunction f() {\n  // Two.\n  return 1\n}\n")
                == "function f() {\nreturn 1\n}\n")
    }

    @Test func codeStaysUnchanged() {
        let code = "const url = \"https://a.example\"; // at the end\nlet a = `//`\n"
        #expect(script(code) == code)
        #expect(script("") == "")
        #expect(script("a") == "a\n")
    }

    @Test func styleSheetLosesCommentsAndIndentation() {
        #expect(
            style("/* One\n   line more. */\na {\n  color: red; /* why */\n}\n\nb {}")
                == "a {\ncolor: red; \n}\nb {}\n")
        #expect(style("a {} /* no end") == "a {} \n")
    }
}
