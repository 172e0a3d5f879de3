import SeededGenerator

extension StepGenerator.Kind {
    /// Steps about the copy in the document store.
    static let copying: [Self] = [
        Self(7) { _, _, chance in
            .copyTrouble(
                CopyTrouble.allCases.pick(&chance),
                seconds: [20, 600, 1_800, 7_200].pick(&chance))
        },
        Self(4) { one, _, chance in .leaveNoteOut(one, chance.isBelow(0.6)) },
        Self(1) { _, _, _ in .fillCopies },
    ]
}

extension Step {
    /// What changes a person's documents, or stops the server, while the store fails.
    static func duringCopyTrouble(of one: Int, _ chance: inout SeededGenerator) -> Step {
        let steps: [Step] = [
            .raise(one, answerLost: false), .end(one), .changeProfile(one),
            .leaveNoteOut(one, true), .leaveNoteOut(one, false), .leave(one), .join(one),
            .move(one, byCode: true), .raiseAndEnd(one, times: 3), .fillCopies,
            .restart(kill: true, seconds: 5), .diskFull(atCommit: true, seconds: 20),
        ]
        return steps.pick(&chance)
    }
}
