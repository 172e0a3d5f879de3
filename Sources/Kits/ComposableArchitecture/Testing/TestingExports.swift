// Point-Free's module also re-exports `expectNoDifference`, `customDump` and `diff`.
@_exported import CustomDump
