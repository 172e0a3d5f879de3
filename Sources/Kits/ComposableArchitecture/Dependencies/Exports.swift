// Point-Free's module also re-exports `reportIssue`, `unimplemented`, `withExpectedIssue` and
// `isTesting`.
@_exported import IssueReporting
