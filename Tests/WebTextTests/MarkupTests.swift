import Testing
import WebText

@Suite struct MarkupTests {
    @Test(arguments: [
        ("", ""), ("Ada", "Ada"), ("&amp;", "&amp;amp;"),
        ("<b>\"'</b>", "&lt;b&gt;&quot;&#39;&lt;/b&gt;"),
        ("\0x", "\u{FFFD}x"), ("a\r\nb\t", "a&#13;\nb\t"), ("é`${x}`", "é`${x}`"),
    ])
    func charactersWithAMeaningAreEscaped(text: String, escaped: String) {
        #expect(Markup.escaped(text) == escaped)
        var output = Array("…".utf8)
        Markup.append(text, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "…" + escaped)
    }
}
