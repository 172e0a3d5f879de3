import Foundation

/// Shortens the list of steps of a failure, as long as the same invariant breaks. Removes whole
/// people first, then ever smaller parts of the list (delta debugging).
public struct Shrinker: Sendable {
    private let options: Simulator.Options
    private let invariant: String
    private let isOver: @Sendable () -> Bool
    public private(set) var best: RunResult

    /// - Parameter isOver: called between runs. Returns true to stop.
    public init(
        _ failure: RunResult, _ options: Simulator.Options, isOver: @escaping @Sendable () -> Bool
    ) {
        self.options = options
        self.isOver = isOver
        invariant = failure.violation?.invariant ?? ""
        best = failure
    }

    public mutating func shrink() async throws {
        try await keepNamed()
        try await dropPeople()
        var size = max(best.steps.count / 2, 1)
        while size > 0, !isOver() {
            var start = 0
            var didShrink = false
            while start < best.steps.count, !isOver() {
                let rest = best.steps[..<start] + best.steps.dropFirst(start + size)
                if try await keeps(Array(rest)) { didShrink = true } else { start += size }
            }
            if !didShrink || size > 1 { size /= 2 }
        }
    }

    /// Keeps only the people that the failure names, who are probably sufficient.
    private mutating func keepNamed() async throws {
        guard let text = best.violation?.text else { return }
        let everyone = 0..<options.people + Truth.correspondents
        let named = Set(everyone.filter { text.contains("\(Names.of($0))") })
        let steps = best.steps.filter { $0.step.people.isSubset(of: named) }
        guard !named.isEmpty, try await !keeps(steps) else { return }
        let near = best.steps.map(\.step.people).filter { !$0.isDisjoint(with: named) }.reduce(
            named
        ) { $0.union($1) }
        _ = try await keeps(best.steps.filter { $0.step.people.isSubset(of: near) })
    }

    private mutating func dropPeople() async throws {
        var size = options.people / 2
        while size > 0, !isOver() {
            for start in stride(from: 0, to: options.people, by: size) where !isOver() {
                let gone = Set(start..<min(start + size, options.people))
                _ = try await keeps(best.steps.filter { $0.step.people.isDisjoint(with: gone) })
            }
            size /= 2
        }
    }

    /// Keeps a shorter list if it breaks the same invariant. Returns whether it does.
    private mutating func keeps(_ steps: [TimedStep]) async throws -> Bool {
        guard steps.count < best.steps.count else { return false }
        let end = best.violation.map { $0.at + 3_600_000 }
        let result = try await Simulator(options).play(steps, until: end)
        guard result.violation?.invariant == invariant else { return false }
        best = result
        return true
    }
}

extension Step {
    /// The people that this step needs.
    var people: Set<Int> {
        switch self {
        case .join(let one), .leave(let one), .checkIn(let one, _), .repeatCheckIn(let one),
            .setInterval(let one, _), .setTimes(let one, _, _), .setNone(let one),
            .setSleep(let one, _, _), .startJourney(let one, _, _, _, _),
            .extendJourney(let one, _), .arrive(let one), .addSource(let one),
            .useSource(let one, _), .removeSource(let one),
            .setLastCall(let one, _, _, _), .pause(let one, _), .endPause(let one),
            .mute(let one, _), .offline(let one, _),
            .openApp(let one, _), .deviceClock(let one, _), .addEndpoint(let one),
            .removeEndpoint(let one), .readAll(let one), .refresh(let one, _), .raise(let one, _),
            .end(let one), .raiseAndEnd(let one, _), .answerPings(let one), .renewCode(let one),
            .endpointTrouble(let one, _, _), .breakRow(_, let one, _), .text(let one, _),
            .addApp(let one, _), .testEndpoint(let one), .setMail(let one),
            .confirmMail(let one, _), .endMail(let one, _), .drill(let one), .stopDrill(let one),
            .clearPings(let one),
            .signInElsewhere(let one), .endOtherSession(let one), .endSessionByMail(let one),
            .export(let one), .timeZone(let one, _), .changeProfile(let one),
            .orderResponders(let one), .signInLock(let one, _, _), .enterCode(let one),
            .stopWait(let one), .makeCodes(let one), .useCode(let one, _), .lock(let one),
            .unlock(let one), .move(let one, _), .stopMove(let one), .makeToken(let one),
            .useToken(let one), .delete(let one), .readActs(let one),
            .findPeople(let one, _, _, _), .showPerson(let one, _), .showAlert(let one),
            .showStuck(let one), .readLog(let one), .testPerson(let one), .exportPerson(let one),
            .moveOut(let one), .moveIn(let one), .listTokens(let one), .revokeToken(let one),
            .joinByToken(let one), .misuse(let one, _), .changeNumber(let one, _),
            .guessCode(let one, _), .keepCode(let one), .enterKeptCode(let one),
            .floodCodes(let one, _), .useSession(let one), .endNewSession(let one),
            .copyToken(let one), .repeatCodes(let one, _), .addPasskey(let one),
            .removePasskey(let one), .usePasskey(let one, _), .limitSignUp(let one, _),
            .leaveNoteOut(let one, _), .browse(let one, _),
            .inviteByMail(let one, _), .stopHelp(let one, _), .undoStop(let one, _),
            .getPass(let one), .usePass(let one, _), .refusal(let one, _, _),
            .stopAtCarrier(let one):
            [one]
        case .acknowledge(let one, let other), .withdraw(let one, let other),
            .report(let one, _, let other), .resume(let one, let other),
            .ping(let one, let other), .seeCode(let one, let other), .scan(let one, let other, _),
            .setRoles(let one, let other, _, _), .remove(let one, let other),
            .accept(let one, let other), .decline(let one, let other),
            .takeBack(let one, let other), .block(let one, let other),
            .unblock(let one, let other), .refuse(let one, let other),
            .look(let one, let other), .press(let one, _, let other, _),
            .answerDrill(let one, let other, _), .invite(let one, let other),
            .refuseByMail(let one, let other),
            .answerInvitation(let one, let other, _), .takeInvitationBack(let one, let other),
            .changeMind(let one, let other, _), .mistake(let one, let other, _):
            [one, other]
        case .carrierTrouble, .restart, .diskFull, .backUp, .restore, .wallClock, .startWrong,
            .clockDrift, .announce, .rotateKey, .makeGroupToken, .copyTrouble, .fillCopies,
            .serviceTrouble, .convertNumbers, .closeMailbox:
            []
        }
    }
}
