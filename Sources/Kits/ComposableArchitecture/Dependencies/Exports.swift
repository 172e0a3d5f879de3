// The original module exports `reportIssue`, `unimplemented`, `withExpectedIssue` and `isTesting`.
@_exported import IssueReporting
