import Domain
import Foundation

/// Performs each kind of step. No other code switches over all of them.
extension Simulator {
    func perform(_ step: Step) async throws {
        switch step {
        case .join(let one): try await join(one)
        case .leave(let one): await leave(one)
        case .checkIn(let one, let lost): await checkIn(one, answerLost: lost)
        case .repeatCheckIn(let one): await repeatCheckIn(one)
        case .setInterval(let one, let minutes): await setInterval(one, .minutes(minutes))
        case .setTimes(let one, let place, let number):
            await setPlan(one, .times(LocalTimes(place, number: number)))
        case .setSleep(let one, let place, let number):
            await setPlan(one, .intervalWithSleep(SleepTimes(place, number: number)))
        case .setNone(let one): await setPlan(one, .none)
        case .setLastCall(let one, let message, let calling, let answers):
            let calls: Bool? = calling == .byDefault ? nil : calling == .always
            await setLastCall(
                one, LastCall(sendsMessage: message, calls: calls, takesAnswers: answers))
        case .pause(let one, let minutes): await pause(one, .minutes(minutes))
        case .endPause(let one): await endPause(one)
        case .startJourney(let one, let minutes, let grace, let chosen, let tells):
            await startJourney(one, minutes: minutes, grace: grace, chosen: chosen, tells: tells)
        case .extendJourney(let one, let minutes): await extendJourney(one, minutes: minutes)
        case .arrive(let one): await arrive(one)
        case .addSource(let one): await addSource(one)
        case .useSource(let one, let isRemoved): await useSource(one, isRemoved: isRemoved)
        case .removeSource(let one): await removeSource(one)
        case .mute(let one, let on): try await mute(one, on)
        case .offline(let one, let seconds): goOffline(one, seconds)
        case .openApp(let one, let seconds): try await openApp(one, seconds: seconds)
        case .deviceClock(let one, let seconds): phones[one].clockError = .seconds(seconds)
        case .addEndpoint(let one): await addEndpoint(one)
        case .removeEndpoint(let one): await removeEndpoint(one)
        case .addApp(let one, let kind): try await addApp(one, kind)
        case .testEndpoint(let one): await testEndpoint(one)
        case .setMail(let one): try await setMail(one)
        case .confirmMail(let one, let isRight): await confirmMail(one, isRight: isRight)
        case .endMail(let one, let byLink): await endMail(one, byLink: byLink)
        case .readAll(let one): await readAll(one)
        case .refresh(let one, let lost): try await refresh(one, answerLost: lost)

        case .raise(let one, let lost): await raise(one, answerLost: lost)
        case .end(let one): await end(one)
        case .raiseAndEnd(let one, let times): await raiseAgain(one, times: times)
        case .acknowledge(let one, let owner): await acknowledge(one, of: owner)
        case .withdraw(let one, let owner): await withdraw(one, from: owner)
        case .report(let one, let report, let owner): await self.report(one, report, on: owner)
        case .resume(let one, let owner): await resume(one, on: owner)
        case .drill(let one): await drill(one)
        case .answerDrill(let one, let owner, let byLink):
            await answerDrill(one, of: owner, byLink: byLink)
        case .stopDrill(let one): await stopDrill(one)
        case .clearPings(let one): await clearPings(one)
        case .signInElsewhere(let one): try await signInElsewhere(one)
        case .endOtherSession(let one): await endOtherSessions(one)
        case .endSessionByMail(let one): try await endSessionByMail(one)
        case .export(let one): await export(one)
        case .timeZone(let one, let zone):
            await ask(one) { await $0.timeZones.noteTimeZone(zone.rawValue, of: $1) }
        case .changeProfile(let one): await changeProfile(one)
        case .orderResponders(let one): await orderResponders(one)
        case .invite(let one, let other): await invite(one, other)
        case .answerInvitation(let one, let other, let isYes):
            await answerInvitation(one, from: other, isYes: isYes)
        case .takeInvitationBack(let one, let other): await takeInvitationBack(one, from: other)
        case .changeMind(let one, let owner, let times):
            for _ in 0..<times {
                await acknowledge(one, of: owner)
                await withdraw(one, from: owner)
            }
        case .refuse(let one, let owner): await refuse(one, of: owner)
        case .look(let one, let owner): await look(one, at: owner)
        case .text(let one, let words): await text(one, words)
        case .press(let one, let button, let owner, let byMail):
            await press(one, button, of: owner, byMail: byMail)
        case .ping(let one, let other): await ping(one, other)
        case .answerPings(let one): await answerPings(one)

        case .seeCode(let one, let other): await seeCode(one, of: other)
        case .scan(let one, let other, let both): try await scan(one, codeOf: other, both: both)
        case .setRoles(let one, let other, let responder, let dependent):
            try await setRoles(
                one, of: other, ContactRoles(isResponder: responder, isDependent: dependent))
        case .remove(let one, let other): await remove(one, other)
        case .renewCode(let one): await renewCode(one)
        case .accept(let one, let other): await accept(one, from: other)
        case .decline(let one, let other): await endRequests(one, with: other, mine: false)
        case .takeBack(let one, let other): await endRequests(one, with: other, mine: true)
        case .block(let one, let other): await block(one, other)
        case .unblock(let one, let other): await unblock(one, other)

        case .signInLock(let one, let isOn, let byCode):
            if isOn { await lockSignIn(one) } else { await unlockSignIn(one, byCode: byCode) }
        case .enterCode(let one): try await enterCode(one)
        case .stopWait(let one): await stopWait(one)
        case .makeCodes(let one): await makeCodes(one)
        case .useCode(let one, let isUsed): await useCode(one, isUsed: isUsed)
        case .mistake(let one, let other, let mistake): await makeMistake(one, other, mistake)

        case .changeNumber(let one, let change): await changeNumber(one, change)
        case .guessCode(let one, let tries): await guessCode(one, tries: tries)
        case .keepCode(let one): await keepCode(one)
        case .enterKeptCode(let one): await enterKeptCode(one)
        case .floodCodes(let one, let times): await floodCodes(one, times: times)
        case .useSession(let one): await useSession(one)
        case .endNewSession(let one): try await endNewSession(one)
        case .copyToken(let one): try await copyToken(one)
        case .repeatCodes(let one, let isUsed): await repeatCodes(one, isUsed: isUsed)
        case .addPasskey(let one): await addPasskey(one)
        case .removePasskey(let one): await removePasskey(one)
        case .usePasskey(let one, let use): await usePasskey(one, use)
        case .limitSignUp(let one, let admission): await limitSignUp(one, admission)

        case .lock(let one): await lock(one)
        case .unlock(let one): await unlock(one)
        case .move(let one, let byCode): await move(one, byCode: byCode)
        case .stopMove(let one): await stopMove(one)
        case .announce(let maintenance): await announce(maintenance: maintenance)
        case .makeToken(let one): await makeToken(one)
        case .useToken(let one): try await useToken(one)
        case .delete(let one): await deleteByAdministrator(one)
        case .rotateKey(let forgets):
            if forgets { await forgetKeys() } else { await rotateKey() }
        case .readActs(let one): await readActs(one)

        case .findPeople(let one, let search, let length, let page):
            await findPeople(one, search, length: length, page: page)
        case .showPerson(let one, let byID): await showPerson(one, byID: byID)
        case .showAlert(let one): await showAlert(one)
        case .showStuck(let one): await showStuck(one)
        case .readLog(let one): await readLog(one)
        case .testPerson(let one): await testPerson(one)
        case .exportPerson(let one): _ = await exportPerson(one)
        case .moveOut(let one): await moveOut(one)
        case .moveIn(let one): try await moveIn(one)
        case .listTokens(let one): await listTokens(one)
        case .revokeToken(let one): await revokeToken(one)
        case .makeGroupToken(let uses, let days): await makeGroupToken(uses: uses, days: days)
        case .joinByToken(let one): try await joinByToken(one)
        case .misuse(let one, let misuse): await give(misuse, about: one)
        case .browse(let one, let shelf): await browse(one, shelf)

        case .inviteByMail(let one, let letter): await inviteByMail(one, letter: letter)
        case .refuseByMail(let one, let other): await refuseByMail(one, from: other)
        case .stopHelp(let one, let guest): await stopHelp(of: one, guest: guest)
        case .undoStop(let one, let guest): await undoStop(of: one, guest: guest)
        case .getPass(let one): await getPass(one)
        case .usePass(let one, let another): await usePass(one, another: another)
        case .convertNumbers(let share): await convertNumbers(oneOf: share)

        case .refusal(let one, let trouble, let seconds):
            upset(one, trouble, seconds)
            world.outside.trouble(.sms(one), trouble, until: now.adding(.seconds(seconds)))
        case .serviceTrouble(let service, let trouble, let seconds):
            upset(service, trouble, seconds)
        case .stopAtCarrier(let one): stopAtCarrier(one)
        case .closeMailbox(let letter): closeMailbox(letter)
        case .endpointTrouble(let one, let trouble, let seconds): upset(one, trouble, seconds)
        case .carrierTrouble(let trouble, let seconds):
            world.outside.carrierTrouble(trouble, until: now.adding(.seconds(seconds)))
        case .restart(let kill, let seconds): try await restart(kill: kill, seconds: seconds)
        case .diskFull(let late, let seconds): fillDisk(atCommit: late, seconds: seconds)
        case .backUp: try await backUp()
        case .restore(let seconds): try await restore(seconds: seconds)
        case .wallClock(let error, let seconds): setClock(error: error, seconds: seconds)
        case .startWrong(let error, let down, let seconds):
            try await startWrong(error: error, down: down, seconds: seconds)
        case .clockDrift(let perMillion, let hours):
            letClockDrift(perMillion: perMillion, hours: hours)
        case .breakRow(let table, let one, let seconds):
            try await breakRow(table, of: one, seconds: seconds)
        case .copyTrouble(let trouble, let seconds):
            world.documents?.trouble(trouble, until: now.adding(.seconds(seconds)))
        case .leaveNoteOut(let one, let leavesOut): await leaveNoteOut(one, leavesOut)
        case .fillCopies: try await fillCopies()
        }
    }

    private func upset(_ one: Int, _ trouble: Trouble, _ seconds: Int) {
        world.outside.trouble(.mail(one), trouble, until: now.adding(.seconds(seconds)))
        for number in (truth.accounts[one]?.endpoints.keys.sorted() ?? []) {
            world.outside.trouble(
                Endpoint(person: one, number: number), trouble, until: now.adding(.seconds(seconds))
            )
        }
    }
}
