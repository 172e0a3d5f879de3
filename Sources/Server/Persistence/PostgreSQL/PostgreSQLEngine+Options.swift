extension PostgreSQLEngine {
    public struct Options: Sendable {
        /// The number of connections for writes; reads get half as many.
        public var connections = 16
        /// How long a write is retried after conflicts or lost connections.
        public var patience: Duration = .seconds(8)
        /// Returns a random number from 0 up to 1.
        public var random: @Sendable () -> Double
        var limits = PostgreSQLConnection.Limits()

        public init(
            random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
        ) {
            self.random = random
        }

        /// Returns the retry delay: 10 ms, 20 ms, 40 ms, … at most 0.6 s, each with jitter.
        @Sendable func pause(after attempts: Int) -> Duration {
            .milliseconds(10) * (Double(1 << min(attempts, 6)) * (0.5 + random() / 2))
        }
    }
}
