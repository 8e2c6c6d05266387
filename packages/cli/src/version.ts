/** The version of this package. A constant, because `harn --version` must not have to look for a file. */
export const VERSION = "0.1.0";
