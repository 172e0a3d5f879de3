import IssueReporting

extension TestStore {
    /// Waits until all effects have ended, and fails if they do not, or if they brought actions that the test has not received.
    ///
    /// - Parameter duration: How long to wait at most.
    public func finish(
        timeout duration: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        let origin = SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
        let timeout = duration ?? .nanoseconds(Int64(clamping: self.timeout))
        await wait(atMost: timeout) { core.effects.runningGroups.isEmpty }
        if !core.effects.runningGroups.isEmpty {
            report(
                """
                Expected effects to finish, but there are still effects in-flight after \(timeout).

                \(inFlightAdvice("finish"))
                """,
                origin
            )
        }
        assertNothingReceived(origin)
    }

    /// Leaves out the actions that were received.
    ///
    /// - Parameter strict: Whether it is a failure if there are none.
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
        if strict, received.isEmpty { report("There were no received actions to skip.", origin) }
        skipReceived(received.count, origin)
    }

    /// Cancels the effects that are running.
    ///
    /// - Parameter strict: Whether it is a failure if there are none.
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
        if strict, groups.isEmpty { report("There were no in-flight effects to skip.", origin) }
        if !groups.isEmpty {
            let actions = groups.compactMap { origins[$0]?.action }
            reportSkipped(
                "\(groups.count) in-flight effect\(groups.count == 1 ? " was" : "s were") cancelled, originating from:\n\n\(listed(actions))", origin)
        }
        for group in groups { core.effects.cancel(.group(group)) }
        await settling.settled()
    }

    /// Runs a part of a test with another exhaustivity.
    @discardableResult
    public func withExhaustivity<R>(_ exhaustivity: Exhaustivity, operation: () throws -> R) rethrows -> R {
        let before = self.exhaustivity
        defer { self.exhaustivity = before }
        self.exhaustivity = exhaustivity
        return try operation()
    }

    /// Runs a part of a test with another exhaustivity.
    @discardableResult
    public func withExhaustivity<R>(
        _ exhaustivity: Exhaustivity,
        isolation: isolated (any Actor)? = #isolation,
        operation: () async throws -> R
    ) async rethrows -> R {
        let before = self.exhaustivity
        defer { self.exhaustivity = before }
        self.exhaustivity = exhaustivity
        return try await operation()
    }

    /// At the end of the test: what it has not stated fails it.
    func complete() {
        assertNothingReceived(origin)
        for group in core.effects.runningGroups {
            guard let origin = origins[group]?.origin else { continue }
            let message = """
                An effect returned for this action is still running. It must complete before the end of the test. …

                To fix, inspect any effects the reducer returns for this action and ensure that all of them complete by the end of the test. There are a \
                few reasons why an effect may not have completed:

                • If using async/await in your effect, it may need a little bit of time to properly finish. To fix you can simply perform \
                "await store.finish()" at the end of your test.

                • If an effect uses a clock, make sure that you wait enough time for it to perform the effect. If you are using a test clock, advance it so \
                that the effects may complete, or consider using an immediate clock to immediately perform the effect instead.

                • If you are returning a long-living effect (timers, notifications, subjects, etc.), then make sure those effects are torn down by marking \
                the effect ".cancellable" and returning a corresponding cancellation effect ("Effect.cancel") from another action.
                """
            exhaustivity == .on ? report(message, origin) : reportSkipped(message, origin)
        }
    }

    private func assertNothingReceived(_ origin: SourceOrigin) {
        guard !received.isEmpty else { return }
        guard exhaustivity == .on else { return skipReceived(received.count, origin) }
        let message = """
            The store received \(received.count) unexpected action\(received.count == 1 ? "" : "s") by the end of this test: …

            Unhandled actions:
            \(listed(received.map(\.action)))
            """
        received = []
        report(message, origin)
    }

    /// Waits until a condition holds, no effects are left that could bring it about, or the time is over.
    func wait(atMost timeout: Duration, isolation: isolated (any Actor)? = #isolation, until condition: () -> Bool) async {
        let end = ContinuousClock.now.advanced(by: timeout)
        await settling.settled()
        while !condition(), !core.effects.runningGroups.isEmpty, ContinuousClock.now < end, !Task.isCancelled {
            // Effects are suspended, on a clock or on something outside of the test: it is looked at again now and then.
            try? await Task.sleep(for: .milliseconds(1))
            await settling.settled()
        }
    }

    func inFlightAdvice(_ purpose: String) -> String {
        """
        There are effects in-flight. If the effect that should \(purpose) uses a clock, make sure that you wait enough time for it to perform the effect. If \
        you are using a test clock, advance it so that the effects may complete, or consider using an immediate clock to immediately perform the effect \
        instead.

        If you are not yet using a clock, or can not use a clock, consider increasing the timeout.
        """
    }
}
