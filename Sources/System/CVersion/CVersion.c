#include "CVersion.h"

#define TEXT(tokens) #tokens
#define EXPANDED_TEXT(macro) TEXT(macro)

const char *lifesignal_build(void) {
#ifdef LIFESIGNAL_BUILD
    return EXPANDED_TEXT(LIFESIGNAL_BUILD);
#else
    return "";
#endif
}
