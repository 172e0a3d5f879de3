extension Reducer {
    /// Runs the reducer of a presented feature: the feature in the current case of a destination
    /// enum.
    ///
    /// ```swift
    /// .ifLet(\.$destination, action: \.destination)
    /// ```
    public func ifLet<DestinationState: CaseReducerState, DestinationAction>(
        _ toPresentationState: WritableKeyPath<State, PresentationState<DestinationState>>,
        action toPresentationAction: CaseKeyPath<Action, PresentationAction<DestinationAction>>,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) -> some Reducer<State, Action>
    where DestinationState.StateReducer.Action == DestinationAction {
        ifLet(
            toPresentationState, action: toPresentationAction,
            destination: { DestinationState.StateReducer.body }, fileID: fileID,
            filePath: filePath, line: line, column: column)
    }
}
