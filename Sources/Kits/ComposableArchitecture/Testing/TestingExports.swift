// Point-Free's module exports `expectNoDifference`, `customDump` and `diff`.
@_exported import CustomDump
