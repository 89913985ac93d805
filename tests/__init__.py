"""Tests of jupyter-npcompile; ``test_<package>_<module>.py`` mirrors the package."""
