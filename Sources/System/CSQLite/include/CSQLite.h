#pragma once

/// Nothing to call: linking this is enough.
