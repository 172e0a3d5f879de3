extension DependencyValues {
    /// The clock for sleeping. Its time advances while the machine is asleep.
    ///
    /// Reports an issue in a test until it is set to a ``TestClock`` or an ``ImmediateClock``.
    public var continuousClock: any Clock<Duration> {
        get { self[ContinuousClockKey.self] }
        set { self[ContinuousClockKey.self] = newValue }
    }

    /// A clock for sleeping whose time stops while the machine is asleep.
    ///
    /// Reports an issue in a test until it is set to a ``TestClock`` or an ``ImmediateClock``.
    public var suspendingClock: any Clock<Duration> {
        get { self[SuspendingClockKey.self] }
        set { self[SuspendingClockKey.self] = newValue }
    }

    private enum ContinuousClockKey: DependencyKey {
        static var liveValue: any Clock<Duration> { ContinuousClock() }
        static var testValue: any Clock<Duration> {
            UnimplementedClock(ContinuousClock(), name: #"@Dependency(\.continuousClock)"#)
        }
    }

    private enum SuspendingClockKey: DependencyKey {
        static var liveValue: any Clock<Duration> { SuspendingClock() }
        static var testValue: any Clock<Duration> {
            UnimplementedClock(SuspendingClock(), name: #"@Dependency(\.suspendingClock)"#)
        }
    }
}
