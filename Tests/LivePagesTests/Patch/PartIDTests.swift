import Testing

@testable import LivePages

@Suite struct PartIDTests {
    @Test func nameReadsBackAsWritten() {
        var ids: Set<PartID> = [.root]
        for first in 0..<40 {
            for second in 0..<40 { ids.insert(PartID.root.child("\(first)").child("\(second)")) }
        }
        #expect(ids.count == 1_601)
        for id in ids {
            #expect(id.text.utf8.count == 8)
            #expect(PartID(id.text) == id && PartID(id.text)?.text == id.text)
        }
    }

    @Test(arguments: ["", "short", "too long by far", "eight!!!", "größe", "ABCDEFG "])
    func invalidNameIsRejected(text: String) { #expect(PartID(text) == nil) }

    /// Pages that were open during a restart of the server still use the old names.
    @Test func nameIsStable() {
        #expect(PartID.root.text == "XjuIESOn")
        #expect(PartID.root.child("tabs").text == "wTS7ykdH")
    }
}
