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
    /// Not `+` and digits.
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

/// Checks a number in E.164 form: `+` and digits, nothing else. `e164` is a terminated string.
/// Never throws; safe to call from several threads. The first call loads the plans (some
/// milliseconds).
lifesignal_phone_number_verdict lifesignal_phone_number_check(const char *e164);

#ifdef __cplusplus
}
#endif
