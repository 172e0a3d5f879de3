#pragma once

/// The tag and the commit of the sources, as `git describe` writes them; empty if the build was not
/// told (LIFESIGNAL_BUILD). C, because Swift takes no text from a build's settings.
const char *_Nonnull lifesignal_build(void);
