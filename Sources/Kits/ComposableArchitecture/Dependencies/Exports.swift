// Point-Free's module exports `reportIssue`, `unimplemented`, `withExpectedIssue` and `isTesting`.
@_exported import IssueReporting
