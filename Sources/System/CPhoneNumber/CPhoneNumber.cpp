#include "CPhoneNumber.h"

#include <phonenumbers/phonenumber.pb.h>
#include <phonenumbers/phonenumberutil.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

using i18n::phonenumbers::PhoneNumber;
using i18n::phonenumbers::PhoneNumberUtil;

namespace {

/// E.164 allows 15 digits; a few more are let through, so that the library says which country they
/// are too long for.
constexpr size_t most_digits = 20;

/// The count of digits behind an optional `+`, or -1 when anything else follows; stops past
/// `most_digits`.
int count_of_digits(const char *text) {
    if (text == nullptr) return -1;
    size_t count = 0;
    for (const char *c = *text == '+' ? text + 1 : text; *c != '\0' && count <= most_digits;
         ++c, ++count)
        if (*c < '0' || *c > '9') return -1;
    return static_cast<int>(count);
}

lifesignal_phone_number_verdict verdict_of_parsing(PhoneNumberUtil::ErrorType error) {
    switch (error) {
        case PhoneNumberUtil::INVALID_COUNTRY_CODE_ERROR:
            return LIFESIGNAL_PHONE_NUMBER_UNKNOWN_COUNTRY_CODE;
        case PhoneNumberUtil::TOO_LONG_NSN: return LIFESIGNAL_PHONE_NUMBER_TOO_LONG;
        // Also NOT_A_NUMBER: what comes here is `+` and digits, and the library says so of too few
        // of them.
        default: return LIFESIGNAL_PHONE_NUMBER_TOO_SHORT;
    }
}

lifesignal_phone_number_verdict verdict_of_length(PhoneNumberUtil::ValidationResult result) {
    switch (result) {
        case PhoneNumberUtil::IS_POSSIBLE: return LIFESIGNAL_PHONE_NUMBER_POSSIBLE;
        case PhoneNumberUtil::INVALID_COUNTRY_CODE:
            return LIFESIGNAL_PHONE_NUMBER_UNKNOWN_COUNTRY_CODE;
        case PhoneNumberUtil::IS_POSSIBLE_LOCAL_ONLY: return LIFESIGNAL_PHONE_NUMBER_LOCAL_ONLY;
        case PhoneNumberUtil::TOO_SHORT: return LIFESIGNAL_PHONE_NUMBER_TOO_SHORT;
        case PhoneNumberUtil::TOO_LONG: return LIFESIGNAL_PHONE_NUMBER_TOO_LONG;
        default: return LIFESIGNAL_PHONE_NUMBER_WRONG_LENGTH;
    }
}

/// ITU-T E.164 sets these country codes aside: 979 for international premium rate, 808 for shared
/// cost.
bool has_costly_country_code(const PhoneNumber &number) {
    return number.country_code() == 979 || number.country_code() == 808;
}

bool is_costly(const PhoneNumberUtil &util, const PhoneNumber &number) {
    PhoneNumberUtil::PhoneNumberType type = util.GetNumberType(number);
    return type == PhoneNumberUtil::PREMIUM_RATE || type == PhoneNumberUtil::SHARED_COST;
}

/// Argentina's mobile numbers are written with and without a 9 behind the country code; text
/// messages need it (ITU-T E.164, national numbering plan of Argentina).
constexpr int argentina = 54;
constexpr uint64_t argentine_mobile = 90000000000;

void make_canonical(const PhoneNumberUtil &util, PhoneNumber *number) {
    if (number->country_code() != argentina || number->national_number() >= argentine_mobile)
        return;
    PhoneNumber mobile(*number);
    mobile.set_national_number(number->national_number() + argentine_mobile);
    if (util.IsValidNumber(mobile)) *number = mobile;
}

lifesignal_phone_number_verdict verdict_of(const PhoneNumberUtil &util, const PhoneNumber &number) {
    if (has_costly_country_code(number)) return LIFESIGNAL_PHONE_NUMBER_COSTLY;
    lifesignal_phone_number_verdict length =
        verdict_of_length(util.IsPossibleNumberWithReason(number));
    if (length != LIFESIGNAL_PHONE_NUMBER_POSSIBLE) return length;
    if (is_costly(util, number)) return LIFESIGNAL_PHONE_NUMBER_COSTLY;
    return util.IsValidNumber(number) ? LIFESIGNAL_PHONE_NUMBER_VALID
                                      : LIFESIGNAL_PHONE_NUMBER_POSSIBLE;
}

}  // namespace

extern "C" lifesignal_phone_number_verdict lifesignal_phone_number_parse(
    const char *text, const char *region, char *e164) {
    *e164 = '\0';
    int digits = count_of_digits(text);
    if (digits < 1) return LIFESIGNAL_PHONE_NUMBER_NOT_A_NUMBER;
    if (digits > static_cast<int>(most_digits)) return LIFESIGNAL_PHONE_NUMBER_TOO_LONG;
    try {
        const PhoneNumberUtil *util = PhoneNumberUtil::GetInstance();
        if (util == nullptr) return LIFESIGNAL_PHONE_NUMBER_CHECK_FAILED;
        PhoneNumber number;
        PhoneNumberUtil::ErrorType error = util->Parse(text, region ? region : "ZZ", &number);
        if (error != PhoneNumberUtil::NO_PARSING_ERROR) return verdict_of_parsing(error);
        make_canonical(*util, &number);
        std::string formatted;
        util->Format(number, PhoneNumberUtil::E164, &formatted);
        if (formatted.size() >= LIFESIGNAL_PHONE_NUMBER_SIZE)
            return LIFESIGNAL_PHONE_NUMBER_TOO_LONG;
        std::memcpy(e164, formatted.c_str(), formatted.size() + 1);
        return verdict_of(*util, number);
    } catch (...) {
        return LIFESIGNAL_PHONE_NUMBER_CHECK_FAILED;
    }
}

extern "C" int lifesignal_phone_number_is_region(const char *region) {
    try {
        const PhoneNumberUtil *util = PhoneNumberUtil::GetInstance();
        return util != nullptr && util->GetCountryCodeForRegion(region) != 0 ? 1 : 0;
    } catch (...) {
        return 0;
    }
}
