#pragma once

/// This declares nothing: a program that is linked with the module has SQLite set up.
