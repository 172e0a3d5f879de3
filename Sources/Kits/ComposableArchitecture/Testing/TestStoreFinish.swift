import IssueReporting

extension TestStore {
    /// Waits until all effects have ended. Fails if an effect is still running at the time limit,
    /// or if received actions weren't asserted.
    ///
    /// - Parameter duration: The time limit.
    public func finish(
        timeout duration: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        let origin = SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
        let timeout = duration ?? self.timeout
        await wait(atMost: timeout) { core.effects.runningGroups.isEmpty }
        if !core.effects.runningGroups.isEmpty {
            report(
                """
                Effects are still running after \(timeout):

                \(listed(core.effects.runningGroups.compactMap { origins[$0]?.action }))

                \(runningAdvice)
                """,
                origin
            )
        }
        assertNothingReceived(origin)
    }

    /// Skips all received actions.
    ///
    /// - Parameter strict: Whether to fail if there are none.
    public func skipReceivedActions(
        strict: Bool = true,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        let origin = SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
        await settling.settled()
        if strict, received.isEmpty { report("There is no received action to skip.", origin) }
        skipReceived(received.count, origin)
    }

    /// Ignores the running effects, which may then outlast the test.
    ///
    /// - Parameter strict: Whether to fail if there are none.
    public func skipInFlightEffects(
        strict: Bool = true,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        let origin = SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
        await settling.settled()
        let groups = core.effects.runningGroups
        if strict, groups.isEmpty { report("There is no running effect to skip.", origin) }
        if !groups.isEmpty {
            let actions = groups.compactMap { origins[$0]?.action }
            reportSkipped(
                "Effects that were running, of:\n\n\(listed(actions))", origin)
        }
        core.effects.forgetRunning()
    }

    /// Ends the test. Fails if anything wasn't asserted.
    func complete() {
        assertNothingReceived(origin)
        for group in core.effects.runningGroups {
            guard let origin = origins[group]?.origin else { continue }
            let message = """
                An effect of this action is still running at the end of the test.

                It has to end before the test does: wait for it by 'await store.finish()', advance \
                the clock that it sleeps by, or send the action that \
                cancels it.
                """
            exhaustivity == .on ? report(message, origin) : reportSkipped(message, origin)
        }
    }

    private func assertNothingReceived(_ origin: SourceOrigin) {
        guard !received.isEmpty else { return }
        guard exhaustivity == .on else { return skipReceived(received.count, origin) }
        let message = """
            The test ends before it has received \(received.count) \
            \(received.count == 1 ? "action" : "actions") from effects:

            \(listed(received.map(\.action)))
            """
        received = []
        report(message, origin)
    }

    /// Waits until the condition holds, all effects have ended, or the time limit is reached.
    func wait(
        atMost timeout: Duration, isolation: isolated (any Actor)? = #isolation,
        until condition: () -> Bool
    ) async {
        let end = ContinuousClock.now.advanced(by: timeout)
        await settling.settled()
        while !condition(), !core.effects.runningGroups.isEmpty, ContinuousClock.now < end,
            !Task.isCancelled
        {
            // Polls, because the effects are suspended: on a clock, or on something outside the
            // test.
            try? await Task.sleep(for: .milliseconds(1))
            await settling.settled()
        }
    }

    var runningAdvice: String {
        """
        When an effect sleeps by a clock, advance it, or give the feature an 'ImmediateClock'. \
        When it takes longer for another reason, give it a longer \
        'timeout'.
        """
    }
}
