import Domain
import Testing

@Suite struct AlertWordsTests {
    @Test(arguments: [
        ([], nil), (["Ben"], "Alert ended. Ben has been told."),
        (["Ben", "Cleo", "Dan"], "Alert ended. Ben, Cleo and Dan have been told."),
    ])
    func theEndNamesEverybody(names: [String], text: String?) {
        #expect(AlertWords.ended(told: names) == text)
    }
}
