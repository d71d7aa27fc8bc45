"""A checker for strangers: one file, the standard library, and none of the rest of evenhand."""
