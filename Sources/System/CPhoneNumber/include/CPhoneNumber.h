#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// The numbering plans' verdict on a phone number.
typedef enum {
    /// The number fits the plan of its country: right length and an assigned range.
    LIFESIGNAL_PHONE_NUMBER_VALID = 0,
    /// The length is right, the range is not (yet) assigned as far as this version of the plans
    /// knows.
    LIFESIGNAL_PHONE_NUMBER_POSSIBLE = 1,
    /// The area code is missing: it can be dialled from a neighbour's telephone, not from elsewhere
    /// (+1 555 0100).
    LIFESIGNAL_PHONE_NUMBER_LOCAL_ONLY = 2,
    /// Neither `+` and digits nor digits.
    LIFESIGNAL_PHONE_NUMBER_NOT_A_NUMBER = 3,
    LIFESIGNAL_PHONE_NUMBER_UNKNOWN_COUNTRY_CODE = 4,
    LIFESIGNAL_PHONE_NUMBER_TOO_SHORT = 5,
    LIFESIGNAL_PHONE_NUMBER_TOO_LONG = 6,
    /// Between the shortest and the longest of its country, and yet of no length in use there.
    LIFESIGNAL_PHONE_NUMBER_WRONG_LENGTH = 7,
    /// The library failed (out of memory): nothing is known about the number.
    LIFESIGNAL_PHONE_NUMBER_CHECK_FAILED = 8,
    /// A premium-rate or shared-cost number: whoever asks for a message to it may earn by it.
    LIFESIGNAL_PHONE_NUMBER_COSTLY = 9,
} lifesignal_phone_number_verdict;

/// Bytes of a number in E.164 with its end, more than the standard allows.
#define LIFESIGNAL_PHONE_NUMBER_SIZE 32

/// Parses `+` and digits, or the digits of a national number, and writes the canonical E.164 form:
/// without the national zero where the country has it, one form for each mobile of Argentina and
/// Mexico. `e164` has LIFESIGNAL_PHONE_NUMBER_SIZE bytes and is empty where parsing failed.
/// `region` is the ISO 3166 code of a national number's country, or NULL. Strings are terminated.
/// Never throws; safe to call from several threads. The first call loads the plans (some
/// milliseconds).
lifesignal_phone_number_verdict lifesignal_phone_number_parse(
    const char *text, const char *region, char *e164);

/// Returns 1 if the plans know the country, given by its ISO 3166 code in capitals, else 0.
int lifesignal_phone_number_is_region(const char *region);

#ifdef __cplusplus
}
#endif
